public import Amounts
public import Hardware
internal import SettingsFile

extension ScenarioStep {
    /// The same with something that happens while it is done.
    public func during(_ interruptions: Interruption...) -> ScenarioStep {
        var step = self
        step.interruptions += interruptions
        return step
    }

    /// The same with more that must come of it.
    ///
    /// - Parameters:
    ///   - checks: what must be so. What is not is told at the line of this call.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the step.
    public func expect(
        _ checks: Expectation.Check..., filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        var step = self
        let location = SettingsLocation(file: filePath, line: line, column: column)
        step.expectations += checks.map { Expectation(key: $0.key, location: location, check: $0) }
        return step
    }

    // MARK: What happens at the till

    /// Connects a reader.
    ///
    /// - Parameters:
    ///   - reader: its name; nil for the only one, or the one that was used last.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the step.
    public static func connect(
        _ reader: String? = nil, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.connect(reader: reader), filePath, line, column)
    }

    /// Takes a payment.
    ///
    /// - Parameters:
    ///   - amount: a decimal of its currency: `12.50`.
    ///   - currency: its currency.
    ///   - card: what the customer presents; nil for the scenario's own.
    ///   - presentsCard: whether they present it by themselves.
    ///   - timeout: how long the reader waits for a card.
    ///   - forcesOnline: asks the issuer whatever the card says.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the step.
    /// - Throws: `MoneyError` when it is no amount of the currency.
    public static func pay(
        _ amount: String, in currency: Currency = .usDollar, card: CardSetup? = nil, presentsCard: Bool = true,
        timeout: Duration = .seconds(60), forcesOnline: Bool = false, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) throws(MoneyError) -> ScenarioStep {
        let pay = PayAction(
            .amount(try Money(amount, currency: currency)), card: card, presentsCard: presentsCard,
            timeout: timeout, forcesOnline: forcesOnline)
        return step(.pay(pay), filePath, line, column)
    }

    /// Pays an order of the store.
    ///
    /// - Parameters:
    ///   - order: its place in ``SiteSetup/unpaid``, counting from 1.
    ///   - card: what the customer presents; nil for the scenario's own.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the step.
    public static func pay(
        order: Int, card: CardSetup? = nil, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.pay(PayAction(.order(order), card: card)), filePath, line, column)
    }

    /// Tries the last payment again.
    public static func retry(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.retry, filePath, line, column)
    }

    /// Gives money back.
    ///
    /// - Parameters:
    ///   - amount: how much; nil for all that is left.
    ///   - currency: its currency.
    ///   - payment: which payment of the scenario, counting from 1; nil for the last one.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the step.
    /// - Throws: `MoneyError` when it is no amount of the currency.
    public static func refund(
        _ amount: String? = nil, in currency: Currency = .usDollar, payment: Int? = nil, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws(MoneyError) -> ScenarioStep {
        let amount = try amount.map { text throws(MoneyError) in try Money(text, currency: currency) }
        return step(
            .refund(RefundAction(amount: amount, payment: payment)), filePath, line, column)
    }

    /// Prints the newest receipt of a payment; one that was printed before comes as a duplicate.
    ///
    /// - Parameters:
    ///   - copy: for whom.
    ///   - payment: which payment of the scenario, counting from 1; nil for the last one.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the step.
    public static func print(
        _ copy: ReceiptCopy = .customer, payment: Int? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> ScenarioStep {
        step(
            .print(PrintAction(copy: copy, payment: payment)), filePath, line, column)
    }

    // MARK: What happens to the till

    /// The program ends as it does when it is told to, and starts again on the same records.
    public static func restart(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.restart, filePath, line, column)
    }

    /// Asks the host about what was left open.
    public static func recover(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.recover, filePath, line, column)
    }

    /// Tells the store of what it has not been told yet.
    public static func settle(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.settle, filePath, line, column)
    }

    /// Lets time pass.
    public static func wait(
        _ duration: Duration, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.wait(duration), filePath, line, column)
    }

    /// Changes the world around the till.
    public static func set(
        _ change: WorldChange, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.set(change), filePath, line, column)
    }

    /// Does anything else: `.perform(.unplug(reader: nil))`.
    public static func perform(
        _ action: ScenarioAction, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(action, filePath, line, column)
    }

    private static func step(_ action: ScenarioAction, _ file: String, _ line: Int, _ column: Int) -> ScenarioStep {
        ScenarioStep(action, location: SettingsLocation(file: file, line: line, column: column))
    }
}
