//! Methods that leave spammers out.

mod spem;

pub use spem::Spem;
