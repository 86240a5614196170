/// The card's side of VSCard, which QEMU's `ccid-card-passthru` speaks on its character device.
///
/// The card greets, QEMU greets back; the card adds a reader, QEMU gives it a number; the card is put in with its
/// answer to reset. From then on QEMU sends commands. It greets again whenever its own end of the card was made
/// anew. Power and reset stay inside QEMU: the card hears of neither, and keeps its state.
struct VSCardSession: DoorSession {
    /// What the next acknowledgement is for.
    private enum Awaited { case nothing, reader, card }

    private static let magic = Array("VSCD".utf8)
    /// 0.0.2
    private static let version: UInt32 = 2
    private static let readerName = Array("CardPresent\0".utf8)

    private var received: [UInt8] = []
    private var awaited = Awaited.nothing
    private var reader = VSCardMessage.undefinedReader
    private var isCardIn = false

    func greeting() -> [UInt8] {
        var payload = Self.magic
        payload.append(bigEndian: Self.version)
        // No capabilities.
        payload.append(bigEndian: 0)
        return VSCardMessage(kind: .initialise, reader: VSCardMessage.undefinedReader, payload: payload).bytes
    }

    mutating func receive(_ bytes: [UInt8]) { received += bytes }

    mutating func next() throws(DoorError) -> [DoorStep]? {
        guard let message = try VSCardMessage.take(from: &received) else { return nil }
        switch message.kind {
        case .initialise:
            guard message.payload.starts(with: Self.magic) else { throw .malformed("a greeting without 'VSCD'") }
            (awaited, isCardIn) = (.reader, false)
            let add = VSCardMessage(
                kind: .readerAdd, reader: VSCardMessage.undefinedReader, payload: Self.readerName)
            return [.ask(.powerOff), .send(add.bytes)]
        case .error:
            guard let code = message.payload.bigEndianWord(at: 0) else { throw .malformed("an error without a code") }
            guard code == 0 else { throw .refused(code: code) }
            defer { awaited = .nothing }
            guard awaited == .reader else { return [] }
            reader = message.reader
            return [.ask(.powerOn)]
        case .apdu:
            reader = message.reader
            return [.ask(.command(message.payload))]
        case .flush:
            return [.send(VSCardMessage(kind: .flushComplete, reader: message.reader).bytes)]
        case .readerAdd, .readerRemove, .answerToReset, .cardRemove, .flushComplete:
            throw .malformed("a message of type \(message.kind.rawValue), which only a card sends")
        }
    }

    mutating func answer(_ bytes: [UInt8], to request: CardRequest) -> [UInt8]? {
        switch request {
        case .powerOn, .reset, .answerToReset:
            // A card that does not answer to reset cannot be put in.
            guard !bytes.isEmpty else { return [] }
            (awaited, isCardIn) = (.card, true)
            return VSCardMessage(kind: .answerToReset, reader: reader, payload: bytes).bytes
        case .powerOff:
            return []
        case .command:
            return VSCardMessage(kind: .apdu, reader: reader, payload: bytes).bytes
        }
    }

    // QEMU takes no notice of a connection that ends: without this the card would stay in.
    func farewell() -> [UInt8] {
        isCardIn ? VSCardMessage(kind: .cardRemove, reader: reader).bytes : []
    }
}
