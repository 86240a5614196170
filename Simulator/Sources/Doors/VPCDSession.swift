/// The card's side of vpcd, the virtual reader that the vsmartcard project made for pcscd.
///
/// Both sides send messages of a length (two bytes, the higher first) and so many bytes. One byte is an order:
/// 00 power off, 01 power on, 02 reset, 04 give the answer to reset. More bytes are a command. Only 04 and commands
/// are answered. pcscd asks for the answer to reset several times a second to see whether the card is there, so
/// that must not reset it.
struct VPCDSession: DoorSession {
    private static let orders: [UInt8: CardRequest] = [
        0x00: .powerOff, 0x01: .powerOn, 0x02: .reset, 0x04: .answerToReset,
    ]

    private var received: [UInt8] = []

    func greeting() -> [UInt8] { [] }

    mutating func receive(_ bytes: [UInt8]) { received += bytes }

    mutating func next() throws(DoorError) -> [DoorStep]? {
        guard received.count >= 2 else { return nil }
        let length = Int(received[0]) << 8 | Int(received[1])
        guard let message = received.take(2 + length) else { return nil }
        guard let first = message.dropFirst(2).first else { throw .malformed("a message without a byte") }
        guard length == 1 else { return [.ask(.command(Array(message.dropFirst(2))))] }
        guard let request = Self.orders[first] else { throw .malformed("order \(first) is none of 0, 1, 2 and 4") }
        return [.ask(request)]
    }

    mutating func answer(_ bytes: [UInt8], to request: CardRequest) -> [UInt8]? {
        switch request {
        case .powerOn, .powerOff, .reset: return []
        case .answerToReset, .command:
            // vpcd waits for ever for the rest of a message without bytes, and pcscd with it.
            guard !bytes.isEmpty else { return nil }
            let body = bytes.prefix(Int(UInt16.max))
            return [UInt8(body.count >> 8), UInt8(body.count & 0xFF)] + body
        }
    }

    func farewell() -> [UInt8] { [] }
}
