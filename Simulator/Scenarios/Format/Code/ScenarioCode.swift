import Money
import Settings
public import Simulator
import StoreSite
public import TillConfiguration

extension Scenario {
    /// Creates a scenario in code. The defaults are those of a file: a plain reader that is plugged in, the card
    /// `visa-credit`, a customer who follows every prompt, an issuer that decides by the account, no store, and a
    /// working printer and disk.
    ///
    /// ```swift
    /// let scenario = try Scenario(
    ///     "The card is pulled out while the issuer is asked",
    ///     steps: [
    ///         .connect(),
    ///         .pay("12.50").during(.removeCard(.on("host authorize sent"))).expect(.outcome("failed")),
    ///     ]
    /// ).expect(.charges(0))
    /// ```
    ///
    /// - Parameters:
    ///   - summary: one sentence that describes the scenario; also its name.
    ///   - tags: words for selecting scenarios.
    ///   - expectedFailure: why the scenario fails for now; nil when it must pass.
    ///   - seed: the random seed; nil for that of the run.
    ///   - clock: the virtual clock at the start.
    ///   - readers: the readers, in the order in which they are plugged in.
    ///   - card: the card for steps that name none; nil for `visa-credit`.
    ///   - exceptions: the cards on the till's exception file.
    ///   - issuerRules: the rules by which the issuer answers.
    ///   - wire: the wire to the issuer; nil when the till has the issuer in its own process.
    ///   - site: the store; nil for none.
    ///   - printer: the condition of the receipt printer.
    ///   - disk: the condition of the disk.
    ///   - till: the till's configuration.
    ///   - steps: the steps, in order.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Throws: `CardProfileError` when the built-in card cannot be read.
    public init(
        _ summary: String, tags: [String] = [], expectedFailure: String? = nil, seed: UInt64? = nil,
        clock: ClockSetup = ClockSetup(), readers: [ReaderSetup] = [ReaderSetup()], card: CardSetup? = nil,
        exceptions: [CardSetup] = [], issuerRules: IssuerRules = IssuerRules(), wire: WireSetup? = nil,
        site: SiteSetup? = nil, printer: SimulatedPrinterCondition = .ready, disk: DiskCondition = .working,
        till: TillConfiguration = .standard,
        steps: [ScenarioStep],
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws(CardProfileError) {
        let standard = try CardSetup("visa-credit")
        self.init(
            name: summary, summary: summary, card: card ?? standard, readers: readers, steps: steps,
            location: SettingsLocation(file: filePath, line: line, column: column))
        (self.tags, self.expectedFailure, self.seed, self.clock) = (tags, expectedFailure, seed, clock)
        (self.issuerRules, self.site, self.printer, self.disk) = (issuerRules, site, printer, disk)
        (self.till, self.exceptions, self.wire, origin) = (till, exceptions, wire, .code)
    }
}

/// A scenario with expectations for the end of the session, or a step with its own.
public protocol ExpectingResults {
    var expectations: [Expectation] { get set }
}

extension ExpectingResults {
    /// Returns the scenario or step with more expected results.
    ///
    /// - Parameters:
    ///   - checks: the expected results. A failure is reported at the line of this call.
    ///   - filePath: the source file; leave it out.
    ///   - line: the source line; leave it out.
    ///   - column: the source column; leave it out.
    /// - Returns: the scenario or step.
    public func expect(
        _ checks: Expectation.Check..., filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Self {
        var copy = self
        let location = SettingsLocation(file: filePath, line: line, column: column)
        copy.expectations += checks.map { Expectation(key: $0.key, location: location, check: $0) }
        return copy
    }
}

extension Scenario: ExpectingResults {}
extension ScenarioStep: ExpectingResults {}

extension CardSetup {
    /// Creates a card in code: `CardSetup("pin-required") { $0.types([.wrong, .right]) }`.
    ///
    /// - Parameters:
    ///   - profile: the name of a built-in profile, or a path to one.
    ///   - name: the card's name in the scenario, which identifies one physical card; nil for the profile's name.
    ///   - change: changes the profile.
    /// - Throws: `CardProfileError` when the profile does not exist or cannot be read.
    public init(
        _ profile: String, named name: String? = nil, change: (inout CardProfile) -> Void = { _ in }
    ) throws(CardProfileError) {
        var card = try CardProfileLibrary.profile(profile)
        change(&card)
        self.init(name: name ?? profile, profile: card)
    }
}

extension SiteSetup {
    /// Creates a store in code.
    ///
    /// - Parameters:
    ///   - unpaid: the totals of its unpaid orders, in US dollars: `25.00`.
    ///   - faults: the faults for requests, such as `POST /*/capture_terminal_payment #1 lost-answer`.
    ///   - orders: the number of other, generated orders.
    /// - Throws: `MoneyError`, `FaultRuleError`
    public init(unpaid: [String], faults: [String] = [], orders: Int = 0) throws {
        self.init(
            orders: orders, unpaid: try unpaid.map { try Money($0, currency: .usDollar) },
            faults: try faults.map { try FaultRule($0) })
    }
}

extension TextPattern: ExpressibleByStringLiteral {
    /// Takes the text as a pattern; a star stands for any characters.
    public init(stringLiteral text: String) { self.init(text) }
}

extension Interruption.Trigger {
    /// When an event of the step begins with these words.
    ///
    /// - Parameters:
    ///   - words: the beginning of the event: `host authorize sent`.
    ///   - count: which of these events, from 1.
    ///   - delay: the delay after the event.
    /// - Returns: the trigger.
    public static func on(_ words: String, count: Int = 1, after delay: Duration = .zero) -> Interruption.Trigger {
        .event(words, count: count, delay: delay)
    }

    /// After a delay from the start of the step.
    public static func after(_ delay: Duration) -> Interruption.Trigger { .time(delay) }
}

extension Interruption {
    private init(_ action: ScenarioAction, _ trigger: Trigger, _ file: String, _ line: Int, _ column: Int) {
        self.init(trigger, action, location: SettingsLocation(file: file, line: line, column: column))
    }

    /// Cancels the current step.
    public static func cancel(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.cancel, trigger, filePath, line, column)
    }

    /// Kills the program.
    public static func crash(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.crash, trigger, filePath, line, column)
    }

    /// Unplugs a reader; nil for the only or most recently used one.
    public static func unplug(
        _ trigger: Trigger, reader: String? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.unplug(reader: reader), trigger, filePath, line, column)
    }

    /// Plugs a reader in; nil for the only or most recently used one.
    public static func plug(
        _ trigger: Trigger, reader: String? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.plug(reader: reader), trigger, filePath, line, column)
    }

    /// Inserts a card without a prompt; nil for the scenario's card.
    public static func insertCard(
        _ trigger: Trigger, card: CardSetup? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.insertCard(card), trigger, filePath, line, column)
    }

    /// Swipes a card without a prompt; nil for the scenario's card.
    public static func swipeCard(
        _ trigger: Trigger, card: CardSetup? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.swipeCard(card), trigger, filePath, line, column)
    }

    /// Holds a card in the field without a prompt; nil for the scenario's card.
    public static func tapCard(
        _ trigger: Trigger, card: CardSetup? = nil, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.tapCard(card), trigger, filePath, line, column)
    }

    /// Moves the card out of the field.
    public static func moveAway(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.moveAway, trigger, filePath, line, column)
    }

    /// The owner of the scenario's device unlocks it.
    public static func unlock(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.unlock, trigger, filePath, line, column)
    }

    /// Removes the card.
    public static func removeCard(
        _ trigger: Trigger, filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.removeCard, trigger, filePath, line, column)
    }

    /// Suspends the machine. Afterward, devices are enumerated anew unless they are kept.
    public static func sleep(
        _ trigger: Trigger, for duration: Duration, keepsDevices: Bool = false, filePath: String = #filePath,
        line: Int = #line, column: Int = #column
    ) -> Interruption {
        Interruption(.sleep(duration, keepsDevices: keepsDevices), trigger, filePath, line, column)
    }

    /// Changes the world around the till.
    public static func change(
        _ trigger: Trigger, _ change: WorldChange, filePath: String = #filePath, line: Int = #line,
        column: Int = #column
    ) -> Interruption {
        Interruption(.set(change), trigger, filePath, line, column)
    }
}
