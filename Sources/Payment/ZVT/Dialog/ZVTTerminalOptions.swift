public import Money
public import Terminal

/// The identity of a ZVT terminal: its numbers, its currency, and its patience.
public struct ZVTTerminalOptions: Sendable {
    /// The name of the tills that speak ZVT with this terminal.
    public var till: TillID
    /// BMP 29, 0...99,999,999.
    public var terminalID: Int64
    /// BMP 2A, at most 15 characters; nil for none.
    public var contractNumber: String?
    public var currency: Currency
    /// Six digits, packed into three bytes. `000000` is common.
    public var password: ZVTSecret
    /// The software version that a status enquiry shows, at most 999 characters.
    public var version: String
    /// The start of the keys of requests, which ZVT has none of. It must be new each time the terminal starts, so that
    /// no key comes twice.
    public var keyPrefix: String
    /// How long the till's answer may take, and the rest of a message after its first byte (T3).
    public var answerTimeout = Duration.seconds(5)
    /// How long a request may go without progress before it is ended (T4).
    public var dialogTimeout = Duration.seconds(180)
    /// How often an intermediate status is repeated, so that the till's T4 does not run out.
    public var repetition = Duration.seconds(10)
    /// The pause before a status information that the till asked for again (84 9C).
    public var statusPause = Duration.seconds(2)
    /// How often a status information is repeated when the till names no number (BMP 02).
    public var statusRepetitions = 10
    /// The most data of a till's message, in bytes.
    public var longestCommand = 4096

    /// Takes what has no default.
    public init(
        till: TillID, terminalID: Int64, currency: Currency, password: ZVTSecret, version: String, keyPrefix: String
    ) {
        (self.till, self.terminalID, self.currency) = (till, terminalID, currency)
        (self.password, self.version, self.keyPrefix) = (password, version, keyPrefix)
    }
}

/// Work for what has the connections and the clock.
public enum ZVTEffect: Equatable, Sendable {
    /// Send bytes on a connection. They have no clear card data.
    case send([UInt8], on: Int)
    /// Close a connection. Calling ``ZVTTerminal/close(_:_:)`` afterwards changes nothing more.
    case close(Int)
    /// Call ``ZVTTerminal/fire(_:_:)`` after this time. A timer that runs already begins anew.
    case startTimer(ZVTTimer, Duration)
    case stopTimer(ZVTTimer)
}

/// A timer of a ZVT terminal.
public enum ZVTTimer: Hashable, Sendable {
    /// For the rest of a message on a connection.
    case frame(Int)
    /// For the till's answer to what was sent.
    case answer
    /// For progress of a request.
    case dialog
    /// For the repetition of an intermediate status.
    case repetition
    /// For the repetition of a status information.
    case status
    /// For the next try of a reversal that did not reach the host.
    case reversal
}

/// What a till chose when it registered (06 00). Until then, and after its log-off, the defaults hold.
struct ZVTRegistration: Hashable, Sendable {
    /// Bits: 80 receipts as print commands, 08 intermediate status, 04 administration receipts and 02 payment receipts
    /// at the till.
    var configuration: UInt8 = 0x86
    var isRegistered = false
    /// Whether the till named its currency.
    var hasCurrency = false
    /// Whether the till takes TLV containers.
    var takesObjects = false
    /// Whether the till takes 06 D3.
    var takesBlocks = false
    /// The columns of the till's printer; nil when it did not say.
    var columns: UInt8?
    /// The characters that the till asked for; nil when it did not.
    var characters: ZVTCharacters?
    /// The most data that the till takes in a message.
    var longestMessage = 0xFFFF

    /// The defaults.
    init() {}

    /// Takes what a registration says. Values that are not known are left at their defaults.
    init(configuration: UInt8, objects: [ZVTObject]?) {
        (self.configuration, isRegistered) = (configuration, true)
        guard let objects else { return }
        takesObjects = true
        let commands = objects.first(0x26)?.objects.filter { $0.tag == 0x0A } ?? []
        takesBlocks = commands.contains { $0.bytes == ZVTControl.printTextBlock.bytes }
        columns = objects.first(0x12)?.bytes?.first.flatMap { (column: UInt8) -> UInt8? in
            PackedDigits.number([column]).map { UInt8($0) }
        }
        characters = objects.first(0x14)?.bytes?.first.flatMap { ZVTCharacters(rawValue: $0) }
        if let length = objects.first(0x1A)?.bytes, (1...2).contains(length.count) {
            longestMessage = max(255, length.reduce(0) { $0 << 8 | Int($1) })
        }
    }

    /// The characters of a receipt line.
    var receiptColumns: Int { columns.map { max(16, Int($0)) } ?? 40 }

    /// The terminal's answer to the till's choices; empty when there is none.
    var agreed: [ZVTObject] {
        var objects: [ZVTObject] = []
        if takesBlocks {
            objects.append(ZVTObject(0x26, [ZVTObject(0x0A, ZVTControl.printTextBlock.bytes)]))
        }
        if let columns, let digits = PackedDigits.bytes(Int64(columns), 1) { objects.append(ZVTObject(0x12, digits)) }
        if let characters { objects.append(ZVTObject(0x14, [characters.rawValue])) }
        return objects
    }

    var wantsIntermediateStatus: Bool { isRegistered && configuration & 0x08 != 0 }
}
