/// A file in memory.
final class CollectedBytes {
    private(set) var bytes: [UInt8] = []

    /// Takes a piece. Memory never says no.
    func append(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.append(contentsOf: piece)
        return true
    }
}
