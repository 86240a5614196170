internal import Determinism
internal import Dispatch
internal import Sockets

extension SocketAddress {
    /// Everything that an address may mean, in the order in which it is to be tried. The system's look-up cannot be ended:
    /// one that takes too long is left to itself.
    ///
    /// - Throws: ``PrinterLinkError/unknownHost``, ``PrinterLinkError/timedOut``, ``PrinterLinkError/cancelled``
    static func resolve(
        _ address: PrinterAddress, within limit: Duration, _ time: any TimeSource
    ) async throws(PrinterLinkError) -> [SocketAddress] {
        let answer = FirstAnswer<[SocketAddress], PrinterLinkError>()
        let deadline = Task(priority: .high) {
            guard (try? await time.sleep(for: limit)) != nil else { return }
            answer.give(.failure(.timedOut))
        }
        defer { deadline.cancel() }
        let found = try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                DispatchQueue.global().async { @Sendable in
                    answer.give(.success(lookUp(address.host, port: address.port)))
                }
            }
        } onCancel: {
            answer.give(.failure(.cancelled))
        }.get()
        guard !found.isEmpty else { throw .unknownHost }
        return found
    }
}
