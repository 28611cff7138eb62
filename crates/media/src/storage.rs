//! Where files lie.

use std::{fmt::Debug, future::Future, io, ops::Range, pin::Pin, time::SystemTime};

use crate::FileName;

/// What a [`Storage`] will say.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = io::Result<T>> + Send + 'a>>;

/// A file that lies in a storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub name: FileName,
    /// When it was written.
    pub modified: SystemTime,
}

/// A place for files. They are written once, whole, and never change.
pub trait Storage: Debug + Send + Sync {
    /// Stores a file. When the answer is there, the file is there also after a failure of power;
    /// before, nobody sees a part of it.
    fn write<'a>(&'a self, name: &'a FileName, content: Vec<u8>) -> Answer<'a, ()>;

    /// How many bytes a file has; None where there is none of this name.
    fn size<'a>(&'a self, name: &'a FileName) -> Answer<'a, Option<u64>>;

    /// These bytes of a file, which must be there.
    fn read<'a>(&'a self, name: &'a FileName, range: Range<u64>) -> Answer<'a, Vec<u8>>;

    /// Removes a file, if it is there.
    fn delete<'a>(&'a self, name: &'a FileName) -> Answer<'a, ()>;

    /// All files, in no order.
    fn list(&self) -> Answer<'_, Vec<Listed>>;
}
