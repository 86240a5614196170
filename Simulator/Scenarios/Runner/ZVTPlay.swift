import CardSecrets
import Determinism
import Money
import Payments
import ScenarioFormat
import Sessions
import Terminal
import Text
import ZVT

/// A terminal that speaks ZVT, whose payments a session takes, and a till that answers each of its messages.
struct ZVTPlay: Sendable {
    private var zvt: ZVTTerminal
    private var model = TerminalModel()
    private var counter = SessionCounter(givesReceipts: true)
    private let currency: Currency
    /// The number of the till's connection, and whether it is open.
    private var connection = 0
    private var isConnected = false
    /// The timers that run, with the moments of their ends, in the order of their starts.
    private var timers: [(timer: ZVTTimer, end: Timestamp)] = []
    /// The request that waits for a card in vain.
    private var waiting: IdempotencyKey?
    /// Where the amount wants the connection cut.
    private var cut: ZVTTestAmount.Cut?
    /// Where the till cuts it.
    private var tillCut: String?
    private var answer = TillAnswer()
    /// The payment of the current command.
    private var taken: Payment?

    init(currency: Currency) {
        self.currency = currency
        var options = ZVTTerminalOptions(
            till: TillID(rawValue: "zvt"), terminalID: 1, currency: currency,
            password: ZVTSecret(SensitiveBytes([0, 0, 0])), version: "CardPresent", keyPrefix: "zvt")
        options.contractNumber = "100000000000001"
        zvt = ZVTTerminal(options)
    }

    /// Sends a command, after the connection was opened when there is none, and takes all messages that follow.
    ///
    /// - Parameters:
    ///   - command: the command.
    ///   - session: the session.
    ///   - options: those of a payment with a card; nil for the scenario's card.
    /// - Returns: the messages; and the payment that was taken meanwhile.
    /// - Throws: `SimulatedSessionError` for bytes that are none, and when the session failed.
    mutating func answer(
        _ command: TillZVTCommand, in session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) -> (answer: TillAnswer, payment: Payment?) {
        (answer, taken, tillCut) = (TillAnswer(), nil, command.cut)
        try await fireTimers(until: session.now, session, options)
        switch command.content {
        case .nothing(let time): try await listen(time, session, options)
        case .bytes, .command:
            let bytes = try Self.bytes(of: command.content)
            if !isConnected {
                (connection, isConnected) = (connection + 1, true)
                zvt.open(connection)
            }
            obey(zvt.receive(bytes, on: connection, &model), session)
            try await goOn(session, options)
        }
        if let last = answer.messages.last(where: \.isProblem) { answer.problem = last.words }
        return (answer, taken)
    }

    private static func bytes(of content: TillZVTCommand.Content) throws(SimulatedSessionError) -> [UInt8] {
        func bytes(_ digits: String) throws(SimulatedSessionError) -> [UInt8] {
            guard let bytes = [UInt8](hexadecimal: digits.filter { $0 != " " }) else {
                throw .plan("'\(digits)' is no hexadecimal text")
            }
            return bytes
        }
        switch content {
        case .nothing: return []
        case .bytes(let digits): return try bytes(digits)
        case .command(let name, let data, let fields):
            var values: [(bmp: UInt8, value: [UInt8])] = []
            for field in fields { values.append((try bytes(field.number).first ?? 0, try bytes(field.value))) }
            let head = try bytes(data)
            do throws(ZVTError) {
                let control = ZVTControl(rawValue: name.control)
                return try ZVTMessage.frame(control, head: head, fields: values).encoded()
            } catch { throw .plan("the command can't be written: \(error)") }
        }
    }

    // MARK: Messages

    /// Does what the protocol wants, and answers its messages as a till does.
    private mutating func obey(_ effects: [ZVTEffect], _ session: SimulatedSession) {
        var rest = effects[...]
        while let effect = rest.popFirst() {
            switch effect {
            case .send(let bytes, let number) where number == connection && isConnected:
                rest += hear(bytes)
            case .send: break
            case .close(let number):
                guard number == connection, isConnected else { continue }
                (isConnected, answer.isLost) = (false, true)
            case .startTimer(let timer, let duration):
                timers.removeAll { $0.timer == timer }
                timers.append((timer, session.now.advanced(by: duration)))
            case .stopTimer(let timer): timers.removeAll { $0.timer == timer }
            }
        }
    }

    /// Takes a message of the terminal. What is no answer is answered.
    private mutating func hear(_ bytes: [UInt8]) -> [ZVTEffect] {
        if isCut(bytes) {
            (cut, isConnected, answer.isLost) = (nil, false, true)
            return zvt.close(connection, &model)
        }
        var reader = ZVTFrameReader()
        reader.feed(bytes)
        guard let frame = try? reader.next(), let message = try? ZVTMessage(frame) else { return [] }
        let heard = TillMessage(message)
        answer.messages.append(heard)
        guard !message.control.isAnswer else { return [] }
        guard heard.name != tillCut else {
            isConnected = false
            return zvt.close(connection, &model)
        }
        return zvt.receive([0x80, 0x00, 0x00], on: connection, &model)
    }

    private func isCut(_ message: [UInt8]) -> Bool {
        switch cut {
        case .beforeStatus: message.starts(with: [0x04, 0x0F])
        case .beforeCompletion: message.starts(with: [0x06, 0x0F])
        case nil: false
        }
    }

    // MARK: Time

    private mutating func listen(
        _ time: Duration, _ session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        let end = session.now.advanced(by: time)
        while let next = timers.map(\.end).min(), next <= end {
            await Self.wait(until: next, session)
            try await fireTimers(until: next, session, options)
        }
        await Self.wait(until: end, session)
    }

    private static func wait(until moment: Timestamp, _ session: SimulatedSession) async {
        let pause = moment.milliseconds - session.now.milliseconds
        if pause > 0 { await session.wait(.milliseconds(pause)) }
    }

    /// Fires the timers that ran out up to a moment, the earliest first.
    private mutating func fireTimers(
        until moment: Timestamp, _ session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        while let next = timers.filter({ $0.end <= moment }).min(by: { $0.end < $1.end }) {
            timers.removeAll { $0.timer == next.timer }
            obey(zvt.fire(next.timer, &model), session)
            try await goOn(session, options)
        }
    }

    // MARK: Work

    private mutating func goOn(
        _ session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        while let work = model.nextWork() {
            switch work {
            case .begin(let request): try await begin(request, session, options)
            case .cancel(let key, let reason):
                guard waiting == key else { continue }
                waiting = nil
                finish(key, .canceled(reason), session)
            // A terminal that stands for one scenario has no printer, and begins without records.
            case .print, .recover: break
            }
        }
    }

    private mutating func begin(
        _ request: TerminalRequest, _ session: SimulatedSession, _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        cut = nil
        if let amount = request.operation.cardAmount {
            let test = ZVTTestAmount(amount)
            cut = test.cut
            report(.waitingForCard, request.key, session)
            guard let card = test.card else {
                waiting = request.key
                return
            }
            return try await take(request, card, session, options)
        }
        report(.working, request.key, session)
        guard request.operation.movesMoney else {
            let date = session.now.civil(offsetSeconds: session.plan.utcOffsetSeconds)
            return finish(request.key, counter.administer(request, in: currency, at: date), session)
        }
        do throws(SimulatedSessionError) {
            finish(request.key, try await counter.change(request, in: session), session)
        } catch {
            guard session.isRunning else {
                report(.recovering, request.key, session)
                throw error
            }
            finish(request.key, .failed(.notReversible), session)
        }
    }

    private mutating func take(
        _ request: TerminalRequest, _ card: String, _ session: SimulatedSession,
        _ options: (String?) -> PaymentOptions
    ) async throws(SimulatedSessionError) {
        let (key, before) = (request.key, session.events.count)
        do throws(SimulatedSessionError) {
            let name = card == ZVTTestAmount.standardCard ? nil : card
            let (outcome, payment) = try await counter.take(request, options(name), in: session)
            taken = payment
            var steps = session.events.dropFirst(before).flatMap(\.terminalSteps)
            if case .refund = request.operation { steps = [.cardPresented, .authorizing, .removingCard] }
            for step in steps { report(step, key, session) }
            guard let outcome else { return report(.recovering, key, session) }
            finish(key, outcome, session)
        } catch {
            guard error.isAboutReader else {
                // What the till's process did before its end is in the journal: the result stays open here.
                for step: TerminalProgress in [.cardPresented, .authorizing, .recovering] {
                    report(step, key, session)
                }
                throw error
            }
            finish(key, .failed(.readerDefective), session)
        }
    }

    private mutating func report(_ step: TerminalProgress, _ key: IdempotencyKey, _ session: SimulatedSession) {
        // A step that the model refuses says nothing new.
        try? model.report(step, of: key)
        obey(zvt.update(&model), session)
    }

    private mutating func finish(_ key: IdempotencyKey, _ outcome: TerminalOutcome, _ session: SimulatedSession) {
        let date = session.now.civil(offsetSeconds: session.plan.utcOffsetSeconds)
        do throws(TerminalRefusal) { try model.finish(key, outcome, at: date) } catch {
            // An end that the model refuses is not one: the request stays open.
            return report(.recovering, key, session)
        }
        obey(zvt.update(&model), session)
    }
}
