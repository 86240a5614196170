import COpenSSL
public import CardSecrets

extension SensitiveBytes {
    /// Copies the bytes and overwrites the caller's array with zeros.
    public init(wiping bytes: inout [UInt8]) {
        self.init(bytes)
        bytes.wipe()
    }

    /// Joins the bytes of `first` and `second`.
    public init(joining first: borrowing SensitiveBytes, _ second: borrowing SensitiveBytes) {
        var bytes = first.withUnsafeBytes { first in
            second.withUnsafeBytes { second in
                var bytes = [UInt8]()
                bytes.reserveCapacity(first.count + second.count)
                bytes.append(contentsOf: first)
                bytes.append(contentsOf: second)
                return bytes
            }
        }
        self.init(wiping: &bytes)
    }

    /// Returns the bytes in `range`, as far as they exist.
    public borrowing func part(_ range: Range<Int>) -> SensitiveBytes {
        var bytes = withUnsafeBytes { buffer in
            let range = range.clamped(to: buffer.startIndex..<buffer.endIndex)
            return [UInt8](UnsafeRawBufferPointer(rebasing: buffer[range]))
        }
        return SensitiveBytes(wiping: &bytes)
    }

    /// Returns the exclusive or of the bytes and `mask`. Bytes beyond a shorter mask stay unchanged.
    public borrowing func exclusiveOr(_ mask: [UInt8]) -> SensitiveBytes {
        var bytes = withUnsafeBytes { [UInt8]($0) }
        for (index, byte) in zip(bytes.indices, mask) { bytes[index] ^= byte }
        return SensitiveBytes(wiping: &bytes)
    }
}
