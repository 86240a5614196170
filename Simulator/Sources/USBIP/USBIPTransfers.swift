internal import Determinism
internal import USB

/// The transfers of a client on its device: those that can be done are done at once, and those that the device
/// holds back (NAK) wait here. It does not wait itself.
struct USBIPTransfers: Sendable {
    /// How many transfers may wait at an endpoint. Drivers keep one or two there.
    static let mostWaiting = 256

    private let port: SimulatedUSBPort
    /// IN transfers, in the order in which they came. Those of an endpoint end in that order.
    private var waiting: [USBIPTransfer] = []

    init(port: SimulatedUSBPort) { self.port = port }

    /// The endpoints that the client reads from.
    var endpoints: Set<UInt8> { Set(waiting.map(\.endpoint)) }

    /// Whether one more transfer may wait at an endpoint.
    func hasRoom(at endpoint: UInt8) -> Bool { waiting.count { $0.endpoint == endpoint } < Self.mostWaiting }

    /// Begins a transfer.
    ///
    /// - Returns: how it ended; nil when it waits.
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

    /// Takes a transfer back.
    mutating func unlink(sequence: UInt32, victim: UInt32) -> USBIPReply {
        guard let index = waiting.firstIndex(where: { $0.sequence == victim }) else {
            return .unlinked(sequence: sequence, .success)
        }
        waiting.remove(at: index)
        return .unlinked(sequence: sequence, .unlinked)
    }

    /// Ends the transfers for which the device has something now.
    ///
    /// - Returns: how they ended, and when the device will have more, as far as it knows.
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
