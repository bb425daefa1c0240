//! Questions, on data that was made and on recorded data.

mod features;
