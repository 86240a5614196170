import CardSecrets
import Determinism
import Money
import Payments
import Terminal
import Text

@testable import ZVT

/// A ZVT terminal between a till and a reader, both played by the test. Bytes are lowercase hexadecimal digits.
struct ZVTBench {
    private(set) var zvt: ZVTTerminal
    var model: TerminalModel
    /// The timers that run.
    private(set) var timers: [ZVTTimer: Duration] = [:]
    /// The work for the reader, in its order.
    private(set) var work: [TerminalWork] = []
    /// The connection of the till.
    private(set) var connection = 0

    static let registration = "0600170000008e09780300060d26080a0206d30a0206d1120140"
    static let sale = "06010c040000000012504909781940"
    static let acknowledgment = "800000"

    init(model: TerminalModel = TerminalModel()) throws {
        var options = ZVTTerminalOptions(
            till: TillID(rawValue: "till"), terminalID: 1, currency: try Currency(code: "EUR"),
            password: ZVTSecret(SensitiveBytes([0, 0, 0])), version: "CP 1.0", keyPrefix: "run")
        options.contractNumber = "455600000599"
        (zvt, self.model) = (ZVTTerminal(options), model)
        connect()
    }

    /// The operations that the reader was asked to begin.
    var begun: [TerminalOperation] {
        work.compactMap { if case .begin(let request) = $0 { request.operation } else { nil } }
    }

    /// The key of the newest request.
    var key: IdempotencyKey {
        work.compactMap { if case .begin(let request) = $0 { request.key } else { nil } }.last
            ?? IdempotencyKey(rawValue: "none")
    }

    /// The card reader is plugged in or out.
    mutating func setReader(isThere: Bool) { zvt.hasReader = isThere }

    /// Opens another connection of the till.
    mutating func connect() {
        connection += 1
        zvt.open(connection)
    }

    /// The till closes its connection.
    mutating func disconnect() -> [String] { take(zvt.close(connection, &model)) }

    /// The till sends bytes; the terminal's messages come back.
    mutating func till(_ hexadecimal: String, on other: Int? = nil) -> [String] {
        let (bytes, number) = ([UInt8](hexadecimal: hexadecimal) ?? [], other ?? connection)
        return take(zvt.receive(bytes, on: number, &model))
    }

    /// The till acknowledges messages until the terminal sends none; these come back.
    mutating func acknowledgeAll() -> [String] {
        var all: [String] = []
        for _ in 0..<100 {
            let sent = till(Self.acknowledgment)
            guard !sent.isEmpty else { break }
            all += sent
        }
        return all
    }

    /// Time passes until a timer runs out; nil when it does not run.
    mutating func fire(_ timer: ZVTTimer) -> [String]? {
        guard timers.removeValue(forKey: timer) != nil else { return nil }
        return take(zvt.fire(timer, &model))
    }

    /// The reader reports a step of the newest request.
    mutating func report(_ progress: TerminalProgress) throws -> [String] {
        try model.report(progress, of: key)
        return take(zvt.update(&model))
    }

    /// The reader finishes the newest request.
    mutating func finish(_ outcome: TerminalOutcome) throws -> [String] {
        try model.finish(key, outcome, at: Self.noon)
        return take(zvt.update(&model))
    }

    /// The terminal takes up a request that ran when it stopped.
    mutating func recover(_ request: TerminalRequest) -> [String] { take(zvt.recover(request, &model)) }

    /// The terminal takes up what it kept before it stopped.
    mutating func takeUp(_ kept: [KeptRequest]) -> [String] { take(zvt.takeUp(kept, &model)) }

    /// Something changed in the model.
    mutating func update() -> [String] { take(zvt.update(&model)) }

    /// A till registers, and the dialog is over.
    mutating func register(_ hexadecimal: String = registration) -> [String] {
        till(hexadecimal) + till(Self.acknowledgment)
    }

    /// A sale up to the host's answer, with every message acknowledged.
    mutating func authorize(_ command: String = sale) throws -> [String] {
        var sent = till(command)
        for step in [TerminalProgress.waitingForCard, .cardPresented, .authorizing, .removingCard] {
            sent += try report(step) + acknowledgeAll()
        }
        return sent
    }

    private mutating func take(_ effects: [ZVTEffect]) -> [String] {
        var lines: [String] = []
        for effect in effects {
            switch effect {
            case .send(let bytes, _): lines.append(bytes.lowercaseHexadecimal)
            case .close: lines.append("closed")
            case .startTimer(let timer, let duration): timers[timer] = duration
            case .stopTimer(let timer): timers[timer] = nil
            }
        }
        while let next = model.nextWork() { work.append(next) }
        return lines
    }

    // MARK: Outcomes

    static let noon = CivilDate(year: 2026, month: 11, day: 23, hour: 14, minute: 25, second: 30)

    static let card = CardDetails(
        brand: "visa", lastFour: "0119", entryMode: .chip, cardholderVerification: .offlinePIN,
        aid: "A0000000031010", applicationName: "Visa Credit", authorizationCode: "123456")

    static let customerReceipt = TerminalReceipt(
        kind: .customer,
        lines: [.init("** Kundenbeleg **", isCentered: true), .init("EUR 12,50"), .init("")])

    static func approval(_ receipt: Int = 17, receipts: [TerminalReceipt] = []) throws -> TerminalOutcome {
        .approved(
            TerminalTransaction(
                receiptNumber: receipt, trace: receipt,
                amount: try Money(minorUnits: 1250, currency: try Currency(code: "EUR")), date: noon, card: card,
                receipts: receipts))
    }

    static func reversal() throws -> TerminalOutcome {
        .approved(
            TerminalTransaction(
                receiptNumber: 18, trace: 18, originalTrace: 17,
                amount: try Money(minorUnits: 1250, currency: try Currency(code: "EUR")),
                date: CivilDate(year: 2026, month: 11, day: 23, hour: 14, minute: 30, second: 1)))
    }

    static let decline = TerminalOutcome.declined(
        TerminalDecline(
            responseCode: "05", date: CivilDate(year: 2026, month: 11, day: 23, hour: 14, minute: 26, second: 11),
            card: card))

    static let approved =
        "040f6f2700040000000012500b0000170c1425300d1123197022f0f8eeeeeeeeeeee011929000000013b3132333435360000490978"
        + "8700178a0a2a3435353630303030303539392020208bf1f256697361204372656469740006174307a00000000310102f0c1f1001"
        + "041f1101011f120101"
    static let receiptBlock =
        "06d33206301f0701021f370101252609014007112a2a204b756e64656e62656c6567202a2a07094555522031322c3530070009"
        + "01ff"
    static let canceled = "040f18276c040000000012500c1425300d11232900000001490978"
}
