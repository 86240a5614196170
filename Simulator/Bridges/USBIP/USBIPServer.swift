public import Determinism
import Synchronization
public import USB

/// Exports the devices of a simulated bus over USB/IP: other machines import them, and their kernels drive them like
/// local ones. Each connection has one device, and each device one connection; the device is free again when the
/// connection ends. Unplugging a device ends its connection.
///
/// The bus ID of a device names its port: `1-1` is the first one.
public final class USBIPServer: Sendable {
    /// The address at which the server listens.
    public var address: BridgeAddress { listener.address }

    private let bus: SimulatedUSBBus
    private let listener: BridgeListener
    private let visits: USBIPConnectionCounter
    private let onEvent: @Sendable (USBIPEvent) -> Void

    /// Creates a server and starts listening. ``serve()`` serves the clients.
    ///
    /// - Parameters:
    ///   - bus: the devices. Use a clock over `SystemTimeSource` for real timing.
    ///   - address: the address to listen at; port 0 takes any free port, see ``address``.
    ///   - options: how long the server runs. Listing the devices does not count as a connection.
    ///   - timeout: the time limit for a client to send a request, send its rest, and take bytes.
    ///   - time: the clock for waiting for clients.
    ///   - onEvent: receives the events, in order for each device.
    /// - Throws: ``BridgeError/notListening(_:reason:)``
    public init(
        bus: SimulatedUSBBus, at address: BridgeAddress, options: ConnectionOptions = ConnectionOptions(),
        timeout: Duration = .seconds(10),
        time: any TimeSource = SystemTimeSource(), onEvent: @escaping @Sendable (USBIPEvent) -> Void = { _ in }
    ) async throws(BridgeError) {
        (self.bus, self.onEvent) = (bus, onEvent)
        visits = USBIPConnectionCounter(options, time)
        listener = try await BridgeListener.open(address, timeout: timeout)
    }

    /// Serves clients until the task is canceled, or as long as ``ConnectionOptions`` says. All connections have
    /// ended when it returns. Call it once.
    ///
    /// - Throws: ``BridgeError/noConnection(_:)``, ``BridgeError/notListening(_:reason:)`` if no more connections can
    ///   be accepted
    public func serve() async throws(BridgeError) {
        let failure = await withTaskGroup(of: BridgeError?.self) { group in
            group.addTask { [self] in await acceptClients() }
            group.addTask { [self] in await visits.isOver() ? .noConnection(address) : nil }
            // A waiting task, so that scheduled events of the bus happen.
            group.addTask { [bus] in
                for await _ in bus.hotplugEvents() {}
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
        if let failure { throw failure }
    }

    /// - Returns: why no more clients are accepted; nil if the task was canceled.
    private func acceptClients() async -> BridgeError? {
        await withDiscardingTaskGroup { group in
            while true {
                do throws(BridgeError) {
                    let connection = try await listener.accept()
                    guard visits.enter() else {
                        onEvent(.dropped(reason: "too many connections without a device"))
                        continue
                    }
                    group.addTask { [self] in
                        await USBIPConnection(connection, bus: bus, onEvent: tell).serve()
                        visits.leave()
                    }
                } catch {
                    group.cancelAll()
                    return error == .canceled ? nil : error
                }
            }
        }
    }

    private func tell(_ event: USBIPEvent) {
        visits.note(event)
        onEvent(event)
    }
}

/// An event of a USB/IP server.
public enum USBIPEvent: Hashable, Sendable {
    /// A client listed the devices; this number could be imported.
    case listed(devices: Int)
    /// A client imported a device.
    case imported(busID: String, USBDevice)
    /// A client did not get a device.
    case refused(busID: String, USBIPRefusal)
    /// A client released a device; the text says why.
    case released(busID: String, reason: String)
    /// A connection without a device ended without an answer; the text says why.
    case dropped(reason: String)
}

/// Counts connections and decides when the server ends.
final class USBIPConnectionCounter: Sendable {
    private enum Change { case came, left, expired }

    /// Each connection costs file descriptors and a waiting thread, so connections without a device are limited.
    private static let mostStrangers = 32

    private let options: ConnectionOptions
    private let time: any TimeSource
    private let changes: AsyncStream<Change>
    private let inbox: AsyncStream<Change>.Continuation
    /// The number of connections, and of those with a device.
    private let counts = Mutex((connections: 0, guests: 0))

    init(_ options: ConnectionOptions, _ time: any TimeSource) {
        (self.options, self.time) = (options, time)
        (changes, inbox) = AsyncStream.makeStream()
    }

    /// Counts a new connection.
    ///
    /// - Returns: whether it is admitted; then ``leave()`` must follow.
    func enter() -> Bool {
        counts.withLock { counts in
            guard counts.connections - counts.guests < Self.mostStrangers else { return false }
            counts.connections += 1
            return true
        }
    }

    /// Counts the end of a connection.
    func leave() { counts.withLock { $0.connections -= 1 } }

    func note(_ event: USBIPEvent) {
        switch event {
        case .imported:
            counts.withLock { $0.guests += 1 }
            inbox.yield(.came)
        case .released:
            counts.withLock { $0.guests -= 1 }
            inbox.yield(.left)
        case .listed, .refused, .dropped: break
        }
    }

    /// Waits until the server must end or the task is canceled.
    ///
    /// - Returns: whether it ends because no client connected.
    func isOver() async -> Bool {
        var guests = 0
        var timer = idleTimer()
        defer { timer?.cancel() }
        for await change in changes {
            switch change {
            case .came:
                guests += 1
                timer?.cancel()
            case .left:
                guests -= 1
                guard guests == 0 else { continue }
                if options.endsWithPeer { return false }
                timer = idleTimer()
            case .expired:
                if guests == 0 { return true }
            }
        }
        return false
    }

    /// Returns a task that ends when no client connects in time.
    private func idleTimer() -> Task<Void, Never>? {
        options.longestWait.map { longest in
            Task { [time, inbox] in
                do throws(CancellationError) { try await time.sleep(for: longest) } catch { return }
                inbox.yield(.expired)
            }
        }
    }
}
