public import Money
public import Payments
import Settings

extension ScenarioStep {
    /// Returns the step with actions that happen while it runs.
    public func during(_ interruptions: Interruption...) -> ScenarioStep {
        var step = self
        step.interruptions += interruptions
        return step
    }

    // MARK: Steps of the clerk

    /// Connects a reader.
    ///
    /// - Parameters:
    ///   - reader: the reader's name; nil for the only or most recently used one.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the step.
    public static func connect(
        _ reader: String? = nil, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.connect(reader: reader), filePath, line, column)
    }

    /// Takes a payment.
    ///
    /// - Parameters:
    ///   - amount: the amount as decimal text, such as `12.50`.
    ///   - currency: the currency.
    ///   - card: the card to present; nil for the scenario's card.
    ///   - presentsCard: whether the cardholder presents and removes the card.
    ///   - timeout: the time that the reader waits for a card.
    ///   - forcesOnline: whether to go online even if the card accepts offline.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the step.
    /// - Throws: `MoneyError` when the amount is not valid in the currency.
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
    ///   - order: the order's position in ``SiteSetup/unpaid``, from 1.
    ///   - card: the card to present; nil for the scenario's card.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the step.
    public static func pay(
        order: Int, card: CardSetup? = nil, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.pay(PayAction(.order(order), card: card)), filePath, line, column)
    }

    /// Retries the last payment.
    public static func retry(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.retry, filePath, line, column)
    }

    /// Refunds a payment, in full or in part.
    ///
    /// - Parameters:
    ///   - amount: the amount to refund; nil for the rest.
    ///   - currency: the currency.
    ///   - payment: the payment's position in the scenario, from 1; nil for the last one.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the step.
    /// - Throws: `MoneyError` when the amount is not valid in the currency.
    public static func refund(
        _ amount: String? = nil, in currency: Currency = .usDollar, payment: Int? = nil, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws(MoneyError) -> ScenarioStep {
        let amount = try amount.map { text throws(MoneyError) in try Money(text, currency: currency) }
        return step(
            .refund(FollowUpAction(amount: amount, payment: payment)), filePath, line, column)
    }

    /// Captures a pre-authorization, in full or in part.
    ///
    /// - Parameters:
    ///   - amount: the amount to capture; nil for all.
    ///   - currency: the currency.
    ///   - payment: the payment's position in the scenario, from 1; nil for the last one.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the step.
    /// - Throws: `MoneyError` when the amount is not valid in the currency.
    public static func capture(
        _ amount: String? = nil, in currency: Currency = .usDollar, payment: Int? = nil, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws(MoneyError) -> ScenarioStep {
        let amount = try amount.map { text throws(MoneyError) in try Money(text, currency: currency) }
        return step(.capture(FollowUpAction(amount: amount, payment: payment)), filePath, line, column)
    }

    /// Adds an amount to what a pre-authorization holds.
    ///
    /// - Parameters:
    ///   - amount: what is added.
    ///   - currency: the currency.
    ///   - payment: the payment's position in the scenario, from 1; nil for the last one.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the step.
    /// - Throws: `MoneyError` when the amount is not valid in the currency.
    public static func increment(
        _ amount: String, in currency: Currency = .usDollar, payment: Int? = nil, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) throws(MoneyError) -> ScenarioStep {
        let amount = try Money(amount, currency: currency)
        return step(.increment(IncrementAction(amount: amount, payment: payment)), filePath, line, column)
    }

    /// Prints the newest receipt of a payment; marks it as a duplicate if it was printed before.
    ///
    /// - Parameters:
    ///   - copy: the customer's or the merchant's copy.
    ///   - payment: the payment's position in the scenario, from 1; nil for the last one.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the step.
    public static func print(
        _ copy: ReceiptCopy = .customer, payment: Int? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> ScenarioStep {
        step(
            .print(PrintAction(copy: copy, payment: payment)), filePath, line, column)
    }

    // MARK: Other steps

    /// Stops the program normally and starts it again on the same records.
    public static func restart(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.restart, filePath, line, column)
    }

    /// Recovers unfinished payments with inquiries to the host.
    public static func recover(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.recover, filePath, line, column)
    }

    /// Sends the pending payment notifications to the store.
    public static func settle(
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(.settle, filePath, line, column)
    }

    /// Lets simulated time pass.
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

    /// Performs any other action: `.perform(.unplug(reader: nil))`.
    public static func perform(
        _ action: ScenarioAction, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> ScenarioStep {
        step(action, filePath, line, column)
    }

    private static func step(_ action: ScenarioAction, _ file: String, _ line: Int, _ column: Int) -> ScenarioStep {
        ScenarioStep(action, location: SettingsLocation(file: file, line: line, column: column))
    }
}
