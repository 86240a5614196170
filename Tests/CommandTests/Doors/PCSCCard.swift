import Dispatch
import SmartCard

/// A card that is reached through PC/SC. What blocks runs on a thread of its own.
final class PCSCCard: CardChannel {
    static let readerName = "CardPresent 00 00"
    /// SCARD_STATE_PRESENT
    private static let present: UInt = 0x20
    private static let longestWait: UInt = 10_000

    let isT1: Bool
    private let library: PCSCLibrary
    private let context: Int
    private let card: Int
    private let queue = DispatchQueue(label: "PC/SC")

    /// Waits for the card in the reader and connects to it, with whichever protocol it speaks.
    static func connect() async throws -> PCSCCard {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(with: Result { try PCSCCard() }) }
        }
    }

    private init() throws {
        library = try PCSCLibrary()
        var context = 0
        try Self.check("SCardEstablishContext", library.establish(2, nil, nil, &context))
        self.context = context
        try Self.wait(until: true, library, context)
        var (card, activeProtocol) = (0, UInt(0))
        // Shared, T=0 or T=1.
        try Self.check("SCardConnect", library.connect(context, Self.readerName, 2, 3, &card, &activeProtocol))
        self.card = card
        isT1 = activeProtocol == 2
    }

    deinit {
        // The card loses its power.
        _ = library.disconnect(card, 2)
        _ = library.release(context)
    }

    func transmit(_ command: CommandAPDU) async throws(CardChannelError) -> ResponseAPDU {
        do {
            guard !isT1 else { return try ResponseAPDU(bytes: await exchange(command.bytes)) }
            var mapper = try T0CommandMapper(command)
            var step = mapper.start()
            while true {
                switch step {
                case .exchange(let tpdu): step = try mapper.received(await exchange(tpdu))
                case .complete(let response): return response
                }
            }
        } catch {
            throw .protocolViolation("\(error)")
        }
    }

    /// One SCardTransmit.
    func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [library, card, isT1] in
                continuation.resume(
                    with: Result {
                        // SCARD_IO_REQUEST
                        let request: [UInt] = [isT1 ? 2 : 1, 16]
                        var answer = [UInt8](repeating: 0, count: 65_538)
                        var count = UInt(answer.count)
                        try Self.check(
                            "SCardTransmit",
                            library.transmit(card, request, bytes, UInt(bytes.count), nil, &answer, &count))
                        return Array(answer.prefix(Int(count)))
                    })
            }
        }
    }

    /// Waits until no card is in the reader.
    static func waitUntilGone() async throws {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(
                    with: Result {
                        let library = try PCSCLibrary()
                        var context = 0
                        try check("SCardEstablishContext", library.establish(2, nil, nil, &context))
                        defer { _ = library.release(context) }
                        try wait(until: false, library, context)
                    })
            }
        }
    }

    /// Waits until a card is in the reader, or until there is none.
    ///
    /// SCARD_READERSTATE: name, user data, current state, event state, ATR length, 33 bytes of ATR.
    private static func wait(until isIn: Bool, _ library: PCSCLibrary, _ context: Int) throws {
        try readerName.withCString { name in
            let state = UnsafeMutableRawPointer.allocate(byteCount: 80, alignment: 8)
            defer { state.deallocate() }
            state.initializeMemory(as: UInt8.self, repeating: 0, count: 80)
            state.storeBytes(of: UInt(bitPattern: name), as: UInt.self)
            while true {
                try check("SCardGetStatusChange", library.statusChange(context, longestWait, state, 1))
                let event = state.load(fromByteOffset: 24, as: UInt.self)
                guard (event & present != 0) != isIn else { return }
                state.storeBytes(of: event, toByteOffset: 16, as: UInt.self)
            }
        }
    }

    private static func check(_ call: String, _ code: Int) throws {
        guard code == 0 else { throw PCSCError(call: call, code: code) }
    }
}
