import CardSecrets
import Determinism
import Money
import Payments
import Terminal
import ZVT

extension FuzzTarget {
    /// What tills send to a terminal.
    static let tills: [FuzzTarget] = [zvtMessages, zvtDialogs]

    private static let commands = [
        "0600170000008e09780300060d26080a0206d30a0206d1120140", "06010c040000000012504909781940", "800000", "06b000",
        "06011904000000001450490978060d1f36060000000002001f1f0117", "06301000000087001704000000001250490978",
        "0620050000000303", "065003000000", "06230387ffff", "0501050000000302", "849c00", "08300101",
        "06700506031b0101", "06310d00000004000000000500490978", "06220a04000000005000490978",
        "06240a87000104000000004000", "06230a87000104000000001000", "062503870001", "069303000000", "061003000000",
        "060200", "050100",
    ]

    /// The first byte says how the bytes are cut.
    private static let zvtMessages = FuzzTarget(
        "zvt-messages", longestInput: 1024,
        seeds: {
            let reports = [
                "040f292705040000000012500c1426120d112329000000014909788a0a8bf1f2566973612043726564697400",
                "06d33206301f0701021f370101252609014007112a2a204b756e64656e62656c6567202a2a07094555522031322c35300700"
                    + "0901ff", "060f0af0f0f6435020312e30dc", "061e04b887ffff", "04ff140e010610240e070c4269747465",
            ]
            return (commands + reports).map { [3] + bytes($0) }
        },
        run: { input in
            guard let size = input.first.map({ max(1, Int($0)) }) else { return }
            let body = Array(input.dropFirst())
            func frames(_ size: Int) -> [ZVTFrame] {
                var (reader, frames) = (ZVTFrameReader(maximumLength: 2048), [ZVTFrame]())
                for start in stride(from: 0, to: body.count, by: size) {
                    reader.feed(body[start..<min(body.count, start + size)])
                    while let frame = try? reader.next() { frames.append(frame) }
                }
                return frames
            }
            let whole = frames(max(1, body.count))
            same(frames(size), whole, "messages do not depend on how the bytes are cut")
            for frame in whole {
                let message: ZVTMessage
                do throws(ZVTError) { message = try ZVTMessage(frame) } catch {
                    hold(error.offset <= frame.headLength + frame.data.count, "an error is within the message")
                    continue
                }
                let text = ZVTDump(message).text
                hold(text.utf8.allSatisfy { $0 >= 0x20 || $0 == 0x0A }, "a dump has no control characters")
                // Clear card data is read, and not written for a terminal.
                guard let written = try? message.frame() else {
                    hold(message.control.isFromTerminal, "a till's message is written again")
                    continue
                }
                hold(try ZVTMessage(written) == message, "a message is read as it was written")
            }
        })

    /// Each step is a byte that selects it, and the bytes that it takes.
    private static let zvtDialogs = FuzzTarget(
        "zvt-dialogs", longestInput: 512,
        seeds: {
            let steps = commands.map { [0, UInt8(bytes($0).count)] + bytes($0) }
            let paid: [UInt8] = [1, 1, 0, 3, 0x80, 0, 0, 1, 2, 1, 6, 2, 0, 0, 3, 0x80, 0, 0]
            let unseen: [UInt8] = [1, 1, 1, 2, 1, 6, 2, 0, 4]
            let takenBack: [UInt8] = [2, 0, 3, 1]
            let sales = [[steps[0], steps[2], steps[1], paid], [steps[4], unseen, steps[4], takenBack], steps]
            return sales.map { $0.flatMap(\.self) }
        },
        run: { input in
            var world = TillWorld(try Currency(code: "EUR"))
            var rest = input[...]
            while let step = rest.popFirst() { world.take(step, &rest) }
            world.end()
        })
}

/// A ZVT terminal whose till and reader follow the input.
private struct TillWorld {
    private var zvt: ZVTTerminal
    private var model = TerminalModel()
    private var connection = 1
    private var timers: [ZVTTimer] = []
    private var running: IdempotencyKey?
    private var keys: [IdempotencyKey] = []
    private var receipt = 0
    private let currency: Currency
    private static let date = CivilDate(year: 2026, month: 11, day: 23)

    init(_ currency: Currency) {
        self.currency = currency
        zvt = ZVTTerminal(
            ZVTTerminalOptions(
                till: TillID(rawValue: "till"), terminalID: 1, currency: currency,
                password: ZVTSecret(SensitiveBytes([0, 0, 0])), version: "1", keyPrefix: "run"))
        zvt.open(connection)
    }

    mutating func take(_ step: UInt8, _ rest: inout ArraySlice<UInt8>) {
        switch step % 5 {
        case 0:
            let bytes = Array(rest.dropFirst().prefix(Int(rest.first ?? 0)))
            rest = rest.dropFirst(bytes.count + 1)
            obey(zvt.receive(bytes, on: connection, &model))
        case 1:
            let all = TerminalProgress.allCases
            let progress = all[Int(rest.popFirst() ?? 0) % all.count]
            if let running { try? model.report(progress, of: running) }
            obey(zvt.update(&model))
        case 2: finish(Int(rest.popFirst() ?? 0))
        case 3:
            guard !timers.isEmpty else { return }
            obey(zvt.fire(timers.remove(at: Int(rest.popFirst() ?? 0) % timers.count), &model))
        default: reconnect()
        }
    }

    private mutating func reconnect() {
        obey(zvt.close(connection, &model))
        connection += 1
        zvt.open(connection)
    }

    private mutating func finish(_ choice: Int) {
        guard let running else { return }
        receipt = receipt % 9999 + 1
        let amount = try? Money(minorUnits: 1250, currency: currency)
        let approval = amount.map {
            TerminalOutcome.approved(
                TerminalTransaction(receiptNumber: receipt, trace: receipt, amount: $0, date: Self.date))
        }
        let outcomes: [TerminalOutcome?] = [
            approval, .declined(TerminalDecline(responseCode: "05", date: Self.date)), .canceled(.timedOut),
            .failed(.hostUnreachable), .done(TerminalReport()),
        ]
        if let outcome = outcomes[choice % outcomes.count] { try? model.finish(running, outcome, at: Self.date) }
        obey(zvt.update(&model))
    }

    private mutating func obey(_ effects: [ZVTEffect]) {
        for effect in effects {
            switch effect {
            case .send(let bytes, _):
                var reader = ZVTFrameReader()
                reader.feed(bytes)
                hold((try? reader.next()).map { (try? ZVTMessage($0)) != nil } == true, "what is sent can be read")
            case .close(let number) where number == connection: reconnect()
            case .close: break
            case .startTimer(let timer, _): if !timers.contains(timer) { timers.append(timer) }
            case .stopTimer(let timer): timers.removeAll { $0 == timer }
            }
        }
        while let work = model.nextWork() {
            switch work {
            case .begin(let request):
                running = request.key
                keys.append(request.key)
            case .recover, .cancel, .print: break
            }
        }
    }

    /// The till is gone, and the reader finishes everything.
    mutating func end() {
        reconnect()
        for _ in 0..<4 where model.holder != nil {
            if let running {
                for step: TerminalProgress in [.waitingForCard, .cardPresented, .authorizing] {
                    try? model.report(step, of: running)
                }
            }
            // A refund and an end of day have their own ends.
            finish(0)
            finish(4)
        }
        hold(model.holder == nil, "a terminal becomes free")
        hold(!zvt.isInDialog, "a dialog ends")
        for key in keys {
            guard case .finished(let record) = model.status(of: key) else { continue }
            // A reversal that failed leaves the payment to a person.
            let isTried = keys.contains { $0.rawValue == key.rawValue + "/taken-back" }
            hold(record.isConfirmed || record.isTakenBack || isTried, "the till knows a payment, or it is taken back")
        }
    }
}
