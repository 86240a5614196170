import Concurrency
public import Determinism
import Dispatch
import Files
import Glibc
import Synchronization

/// Connects to TCP ports.
public struct TCPConnector: Sendable {
    private let time: any TimeSource
    private let options: TCPOptions
    private let lookUps: NameLookUps

    /// - Parameters:
    ///   - time: measures the deadlines.
    ///   - options: of the connections.
    public init(time: any TimeSource, options: TCPOptions = TCPOptions()) {
        self.init(time: time, options: options, lookUps: .shared)
    }

    init(time: any TimeSource, options: TCPOptions, lookUps: NameLookUps) {
        (self.time, self.options, self.lookUps) = (time, options, lookUps)
    }

    /// Connects to the first address of the host that accepts.
    ///
    /// The addresses are tried one after the other, in the order of the name lookup. Each has an equal part of the time
    /// that is left, so that one that does not answer leaves time for the others.
    ///
    /// - Parameters:
    ///   - address: the host and port.
    ///   - deadline: the end of lookup and connecting.
    /// - Returns: the connection.
    /// - Throws: ``ConnectionFailure``
    public func connect(to address: TCPAddress, deadline: Deadline) async throws(ConnectionFailure) -> TCPConnection {
        let candidates = try await lookUps.addresses(of: address, deadline: deadline, time).prefix(Self.mostAddresses)
        var attempts: [ConnectionFailure.Attempt] = []
        for (index, candidate) in candidates.enumerated() {
            let share = deadline.remaining(on: time) / (candidates.count - index)
            guard share > .zero else { throw .timedOut(.connect) }
            let last = index == candidates.count - 1
            do throws(ConnectionFailure) {
                return try await connect(
                    to: candidate, deadline: last ? deadline : Deadline(after: share, on: time))
            } catch {
                switch error {
                case .canceled: throw error
                case .timedOut where last && attempts.isEmpty: throw error
                case .timedOut: attempts.append(.init(address: candidate.description, reason: "no answer in time"))
                case .system(_, let error):
                    attempts.append(.init(address: candidate.description, reason: error.description))
                default: attempts.append(.init(address: candidate.description, reason: error.description))
                }
            }
        }
        throw .notConnected(address, attempts)
    }

    private static let mostAddresses = 16

    private func connect(
        to address: SocketAddress, deadline: Deadline
    ) async throws(ConnectionFailure) -> TCPConnection {
        guard !Task.isCancelled else { throw .canceled }
        let socket = try StreamSocket(family: address.family, time: time)
        do throws(SocketError) {
            _ = try socket.call { file in Int(address.withPointer { Glibc.connect(file, $0, $1) }) }
        } catch {
            // A call that a signal interrupted goes on, and is reported as already under way when it is made again.
            guard case .system(let code) = error, code == EINPROGRESS || code == EALREADY else {
                throw error.failure(doing: .connect)
            }
            try await socket.finishConnecting(deadline: deadline)
        }
        return TCPConnection(socket, peer: address.description, options: options)
    }
}

/// Looks up names of hosts on threads of their own, because the system's lookup blocks and cannot be ended.
///
/// A lookup that takes too long goes on without its callers; the next caller for the same host joins it, and the number
/// of lookups at a time is limited. So a name server that does not answer costs a few threads, however often it is
/// asked.
final class NameLookUps: Sendable {
    typealias Answer = FirstAnswer<[SocketAddress], ConnectionFailure>

    static let shared = NameLookUps { (host, port) throws(SocketAddress.LookUpError) in
        try SocketAddress.addresses(of: host, port: port)
    }

    private let waiting = Mutex<[TCPAddress: [Answer]]>([:])
    private let resolve: @Sendable (String, UInt16) throws(SocketAddress.LookUpError) -> [SocketAddress]

    private static let most = 16

    init(_ resolve: @escaping @Sendable (String, UInt16) throws(SocketAddress.LookUpError) -> [SocketAddress]) {
        self.resolve = resolve
    }

    /// - Throws: ``ConnectionFailure/unknownHost(_:)``, ``ConnectionFailure/lookUpFailed(host:reason:)``,
    ///   ``ConnectionFailure/timedOut(_:)``, ``ConnectionFailure/canceled``
    func addresses(
        of address: TCPAddress, deadline: Deadline, _ time: any TimeSource
    ) async throws(ConnectionFailure) -> [SocketAddress] {
        if let literal = try? SocketAddress.addresses(of: address.host, port: address.port, isLiteral: true) {
            return literal
        }
        let answer = Answer()
        let (isFirst, isFull) = waiting.withLock { waiting in
            let isFirst = waiting[address] == nil
            guard !isFirst || waiting.count < Self.most else { return (false, true) }
            waiting[address, default: []].append(answer)
            return (isFirst, false)
        }
        guard !isFull else {
            throw .lookUpFailed(host: address.host, reason: "too many lookups get no answer from the name servers")
        }
        if isFirst {
            // A serial queue of its own has a thread at once, however many others block.
            DispatchQueue(label: "name-lookup").async { @Sendable in self.run(address) }
        }
        let found = await answer.answer(until: deadline, on: time, for: .lookUp)
        if case .failure = found {
            // The key stays until the lookup ends.
            waiting.withLock { waiting in waiting[address]?.removeAll { $0 === answer } }
        }
        return try found.get()
    }

    private func run(_ address: TCPAddress) {
        let result: Answer.Answer
        do throws(SocketAddress.LookUpError) {
            result = .success(try resolve(address.host, address.port))
        } catch {
            result = .failure(
                error.isUnknownHost
                    ? .unknownHost(address.host)
                    : .lookUpFailed(host: address.host, reason: error.description))
        }
        for answer in waiting.withLock({ $0.removeValue(forKey: address) }) ?? [] { answer.give(result) }
    }
}
