import Determinism
import Synchronization
import USB

/// A client's transfers on its device. Transfers are executed at once if possible; those that the device holds back
/// (NAK) are queued. The type itself never waits.
struct USBIPTransfers: Sendable {
    /// The maximum number of queued transfers per endpoint. Drivers keep one or two there.
    static let mostWaiting = 256

    private let port: SimulatedUSBPort
    /// IN transfers in order of arrival; those of one endpoint end in that order.
    private var waiting: [USBIPTransfer] = []

    init(port: SimulatedUSBPort) { self.port = port }

    /// The endpoints with queued IN transfers.
    var endpoints: Set<UInt8> { Set(waiting.map(\.endpoint)) }

    /// Whether one more transfer can be queued at an endpoint.
    func hasRoom(at endpoint: UInt8) -> Bool { waiting.count { $0.endpoint == endpoint } < Self.mostWaiting }

    /// Starts a transfer.
    ///
    /// - Returns: the reply; nil if the transfer is queued.
    mutating func submit(_ transfer: USBIPTransfer) -> USBIPReply? {
        if let request = transfer.request { return control(transfer, request) }
        guard transfer.isInput else {
            let isTaken = port.write(transfer.data, endpoint: transfer.endpoint)
            return .ended(
                sequence: transfer.sequence, isTaken ? .success : .stalled, length: isTaken ? transfer.data.count : 0,
                data: [])
        }
        waiting.append(transfer)
        return nil
    }

    /// Cancels a transfer.
    mutating func unlink(sequence: UInt32, victim: UInt32) -> USBIPReply {
        guard let index = waiting.firstIndex(where: { $0.sequence == victim }) else {
            return .unlinked(sequence: sequence, .success)
        }
        waiting.remove(at: index)
        return .unlinked(sequence: sequence, .unlinked)
    }

    /// Ends the transfers for which the device has data now.
    ///
    /// - Returns: the replies, and when the device will have more data, if it knows.
    mutating func advance() -> (replies: [USBIPReply], moment: Timestamp?) {
        var (replies, stillWaiting): ([USBIPReply], [USBIPTransfer]) = ([], [])
        var moments: [Timestamp] = []
        var held: Set<UInt8> = []
        for transfer in waiting {
            guard !held.contains(transfer.endpoint) else {
                stillWaiting.append(transfer)
                continue
            }
            switch port.read(endpoint: transfer.endpoint, maximumLength: transfer.length) {
            case .data(let bytes):
                let isShort = transfer.mustBeFull && bytes.count < transfer.length
                replies.append(
                    .ended(
                        sequence: transfer.sequence, isShort ? .short : .success, length: bytes.count, data: bytes))
            case .stall: replies.append(.ended(sequence: transfer.sequence, .stalled, length: 0, data: []))
            case .overflow: replies.append(.ended(sequence: transfer.sequence, .overflow, length: 0, data: []))
            case .notYet(let moment):
                held.insert(transfer.endpoint)
                stillWaiting.append(transfer)
                if let moment { moments.append(moment) }
            }
        }
        waiting = stillWaiting
        return (replies, moments.min())
    }

    private func control(_ transfer: USBIPTransfer, _ request: USBControlRequest) -> USBIPReply {
        guard let answer = port.control(request) else {
            return .ended(sequence: transfer.sequence, .stalled, length: 0, data: [])
        }
        guard transfer.isInput else {
            return .ended(sequence: transfer.sequence, .success, length: transfer.data.count, data: [])
        }
        let data = Array(answer.prefix(transfer.length))
        let isShort = transfer.mustBeFull && data.count < transfer.length
        return .ended(sequence: transfer.sequence, isShort ? .short : .success, length: data.count, data: data)
    }
}

/// A client's transfers on its device over time: sends replies as the device completes queued transfers.
final class USBIPRunningTransfers: Sendable {
    private let port: SimulatedUSBPort
    private let clock: SimulationClock
    private let send: @Sendable (USBIPReply) -> Void
    private let transfers: Mutex<USBIPTransfers>
    /// Whether the client did something since the device was last checked. It has its own lock, because the clock
    /// reads it while a device executes a transfer.
    private let hasNews = Mutex(false)

    /// Creates the transfers of a client.
    ///
    /// - Parameters:
    ///   - port: the port of the device.
    ///   - clock: the clock of the device.
    ///   - send: receives the replies in order. It must not wait.
    init(port: SimulatedUSBPort, clock: SimulationClock, send: @escaping @Sendable (USBIPReply) -> Void) {
        (self.port, self.clock, self.send) = (port, clock, send)
        transfers = Mutex(USBIPTransfers(port: port))
    }

    /// Whether the device is still plugged in.
    var isConnected: Bool { port.isConnected }

    /// Executes a command.
    ///
    /// - Throws: ``BridgeError/malformed(_:)``
    func perform(_ command: USBIPCommand) throws(BridgeError) {
        clock.catchUp()
        try transfers.withLock { transfers throws(BridgeError) in
            switch command {
            case .submit(let transfer):
                guard transfers.hasRoom(at: transfer.endpoint) else {
                    throw .malformed("more than \(USBIPTransfers.mostWaiting) transfers wait at an endpoint")
                }
                transfers.submit(transfer).map(send)
            case .unlink(let sequence, let victim): send(transfers.unlink(sequence: sequence, victim: victim))
            }
            transfers.advance().replies.forEach(send)
        }
        hasNews.withLock { $0 = true }
        clock.signal()
    }

    /// Completes transfers until the device is unplugged or the task is canceled.
    func watch() async {
        while !Task.isCancelled, port.isConnected {
            clock.catchUp()
            hasNews.withLock { $0 = false }
            let (moment, endpoints) = transfers.withLock { transfers in
                let (replies, moment) = transfers.advance()
                replies.forEach(send)
                return (moment, transfers.endpoints)
            }
            let isReady: @Sendable () -> Bool = { [self] in
                hasNews.withLock { $0 } || !port.isConnected || endpoints.contains { port.hasInput(endpoint: $0) }
            }
            // In virtual time the device answers at once, and the wait is for the client.
            if clock.isVirtual, clock.run(until: moment, isReady: isReady) { continue }
            await clock.wait(until: moment ?? Timestamp(milliseconds: .max), isReady: isReady)
        }
    }
}
