internal import Determinism
internal import Synchronization
internal import USB

/// The transfers of a client on its device, in time: what the device holds back is told when it comes.
final class USBIPRunningTransfers: Sendable {
    private let port: SimulatedUSBPort
    private let clock: SimulationClock
    private let send: @Sendable (USBIPReply) -> Void
    private let transfers: Mutex<USBIPTransfers>
    /// The client has done something since the device was last looked at. It has a lock of its own: the clock asks
    /// for it while a device takes a transfer.
    private let hasNews = Mutex(false)

    /// - Parameters:
    ///   - port: where the device is plugged in.
    ///   - clock: the time that the device lives by.
    ///   - send: gets the replies, in order. It must not wait.
    init(port: SimulatedUSBPort, clock: SimulationClock, send: @escaping @Sendable (USBIPReply) -> Void) {
        (self.port, self.clock, self.send) = (port, clock, send)
        transfers = Mutex(USBIPTransfers(port: port))
    }

    /// Whether the device is still plugged in.
    var isConnected: Bool { port.isConnected }

    /// Does what the client wants.
    ///
    /// - Throws: ``DoorError/malformed(_:)``
    func perform(_ command: USBIPCommand) throws(DoorError) {
        clock.noteActivity()
        clock.catchUp()
        try transfers.withLock { transfers throws(DoorError) in
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

    /// Ends transfers as the device gets to them, until it is unplugged or the task is cancelled.
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
            if let moment {
                await clock.pass(until: moment, isReady: isReady)
            } else {
                // Nothing is to come: this deadline comes after any run is over.
                await clock.stand(until: clock.moment(after: .seconds(365 * 86_400)), isReady: isReady)
            }
        }
    }
}
