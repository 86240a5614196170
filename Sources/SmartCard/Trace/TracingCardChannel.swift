/// A card channel that passes everything on and hands each exchange, masked, to a recorder; ``TraceRecorder`` says
/// what is masked.
public final class TracingCardChannel: CardChannel {
    private let channel: any CardChannel
    private let recorder: TraceRecorder

    /// - Parameters:
    ///   - channel: where commands go.
    ///   - record: takes the exchanges, one by one, in their order. It is called before the answer is
    ///     handed on.
    public init(_ channel: any CardChannel, record: @escaping @Sendable (TraceEntry) -> Void) {
        (self.channel, recorder) = (channel, TraceRecorder(record))
    }

    public func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        do {
            let response = try await channel.transmit(command)
            recorder.add(command, response)
            return response
        } catch {
            recorder.add(command, error)
            throw error
        }
    }
}
