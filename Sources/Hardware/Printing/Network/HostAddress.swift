internal import Determinism
internal import Dispatch
internal import Glibc

/// An address of a host as the system's calls take it.
struct HostAddress: Sendable {
    let family: Int32
    /// A `sockaddr_in` or `sockaddr_in6`.
    private let bytes: [UInt8]

    /// Everything that an address may mean, in the order in which it is to be tried. The system's look-up cannot be ended:
    /// one that takes too long is left to itself.
    ///
    /// - Throws: ``PrinterLinkError/unknownHost``, ``PrinterLinkError/timedOut``, ``PrinterLinkError/cancelled``
    static func resolve(
        _ address: PrinterAddress, within limit: Duration, _ time: any TimeSource
    ) async throws(PrinterLinkError) -> [HostAddress] {
        let answer = FirstAnswer<[HostAddress], PrinterLinkError>()
        let deadline = Task(priority: .high) {
            guard (try? await time.sleep(for: limit)) != nil else { return }
            answer.give(.failure(.timedOut))
        }
        defer { deadline.cancel() }
        let found = try await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                answer.wait(continuation)
                DispatchQueue.global().async { @Sendable in answer.give(.success(lookUp(address))) }
            }
        } onCancel: {
            answer.give(.failure(.cancelled))
        }.get()
        guard !found.isEmpty else { throw .unknownHost }
        return found
    }

    private static func lookUp(_ address: PrinterAddress) -> [HostAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV
        var first: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(address.host, String(address.port), &hints, &first) == 0 else { return [] }
        defer { freeaddrinfo(first) }
        var found: [HostAddress] = []
        var next = first
        while let entry = next?.pointee {
            if let pointer = entry.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: pointer, count: Int(entry.ai_addrlen))
                found.append(HostAddress(family: entry.ai_family, bytes: Array(bytes)))
            }
            next = entry.ai_next
        }
        return found
    }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        // A copy that is aligned for every family, and has room for each.
        var storage = sockaddr_storage()
        let count = withUnsafeMutableBytes(of: &storage) { room in
            room.copyBytes(from: bytes.prefix(room.count))
            return min(bytes.count, room.count)
        }
        return withUnsafePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(count)) }
        }
    }
}
