internal import Glibc

extension [UInt8] {
    /// Overwrites every byte with zero, in a way that a compiler may not leave out. Call it on an
    /// array that nobody shares: a shared one is copied first, and only the copy is wiped.
    public mutating func wipe() {
        withUnsafeMutableBytes { buffer in
            if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
        }
    }
}
