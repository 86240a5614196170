/// A connection to a powered card.
protocol CardLine {
    /// Sends a command as bytes and returns the card's answer as bytes, status last. 61xx and 6Cxx may come back.
    func transmit(_ command: [UInt8]) async throws -> [UInt8]

    /// The processor time so far, in seconds, of every process that takes part.
    func processorSeconds() throws -> Double

    func close() async
}
