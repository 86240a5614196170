/// A way to a powered card.
protocol CardLine {
    /// Sends a command as bytes and returns the card's answer as bytes, status last. 61xx and 6Cxx may come back.
    func transmit(_ command: [UInt8]) async throws -> [UInt8]

    /// What the processors have worked so far, in seconds, for every process that has a part in it.
    func processorSeconds() throws -> Double

    func close() async
}
