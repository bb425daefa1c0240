//! Whether two items are the same. Methods that learn from features of the items are in `crowdwise_learn::similarities`.

mod cluster;
mod crowd_clusters;

pub use cluster::by_first;
pub use crowd_clusters::CrowdClusters;
