internal import USB

/// What a client wants of the device that it has imported. A header of 48 bytes, numbers with the highest byte first:
/// command, sequence number, device, direction and endpoint; then what the command needs, and for an OUT
/// transfer its bytes.
///
/// Source: the kernel's Documentation/usb/usbip_protocol.rst, USBIP_CMD_SUBMIT and USBIP_CMD_UNLINK.
enum USBIPCommand: Hashable, Sendable {
    case submit(USBIPTransfer)
    /// Take the transfer with the number `victim` back.
    case unlink(sequence: UInt32, victim: UInt32)

    static let headerLength = 48
    /// The most bytes of a transfer, which is what Linux lets all programs together have under way.
    static let maximumLength: UInt32 = 16 << 20

    /// Takes the first whole command out of what has come.
    ///
    /// - Parameters:
    ///   - received: what has come; the command is taken out.
    ///   - device: the number of the device that was imported.
    /// - Returns: nil until there is a whole command.
    /// - Throws: ``DoorError/malformed(_:)``
    static func take(from received: inout [UInt8], device: UInt32) throws(DoorError) -> USBIPCommand? {
        guard received.count >= headerLength, let command = received.bigEndianWord(at: 0),
            let sequence = received.bigEndianWord(at: 4), let target = received.bigEndianWord(at: 8),
            let direction = received.bigEndianWord(at: 12), let endpoint = received.bigEndianWord(at: 16),
            // The number of the victim, or the transfer's flags.
            let first = received.bigEndianWord(at: 20), let length = received.bigEndianWord(at: 24),
            let packets = received.bigEndianWord(at: 32)
        else { return nil }
        guard target == device else { throw .malformed("a command for device \(target), which was not imported") }
        guard command != 2 else {
            _ = received.take(headerLength)
            return .unlink(sequence: sequence, victim: first)
        }
        guard command == 1 else { throw .malformed("command \(command) is neither 1 nor 2") }
        guard direction <= 1 else { throw .malformed("direction \(direction) is neither 0 nor 1") }
        guard let number = UInt8(exactly: endpoint), number <= 15 else { throw .malformed("endpoint \(endpoint)") }
        guard length <= maximumLength else { throw .malformed("a transfer of \(length) bytes") }
        // Both ways to say that a transfer is not isochronous.
        guard packets == 0 || packets == .max else { throw .malformed("an isochronous transfer") }
        let isInput = direction == 1
        guard let bytes = received.take(headerLength + (isInput ? 0 : Int(length))) else { return nil }
        let data = Array(bytes.dropFirst(headerLength))
        var transfer = USBIPTransfer(
            sequence: sequence, endpoint: isInput ? number | 0x80 : number,
            mustBeFull: first & USBIPTransfer.shortNotOK != 0, length: Int(length), data: data)
        if number == 0 { transfer.request = request(Array(bytes[40..<48]), data) }
        return .submit(transfer)
    }

    /// A setup packet: type, request, value, index and length, numbers with the lowest byte first (USB 2.0 §9.3).
    private static func request(_ setup: [UInt8], _ data: [UInt8]) -> USBControlRequest {
        func word(_ index: Int) -> UInt16 { UInt16(setup[index]) | UInt16(setup[index + 1]) << 8 }
        let (type, number) = (setup[0], setup[1])
        return type & 0x80 == 0
            ? .output(type: type, request: number, value: word(2), index: word(4), data: data)
            : .input(type: type, request: number, value: word(2), index: word(4), length: word(6))
    }
}

/// A transfer that a client submits: what Linux calls an URB.
struct USBIPTransfer: Hashable, Sendable {
    /// URB_SHORT_NOT_OK of `transfer_flags`.
    static let shortNotOK: UInt32 = 0x0001

    /// By which the client knows it.
    var sequence: UInt32
    /// The endpoint's address; b7 set means IN.
    var endpoint: UInt8
    /// An IN transfer that ends short is an error.
    var mustBeFull = false
    /// The bytes that the client's buffer has.
    var length: Int
    /// What an OUT transfer carries.
    var data: [UInt8] = []
    /// The setup packet of a control transfer.
    var request: USBControlRequest?

    var isInput: Bool { endpoint & 0x80 != 0 }
}
