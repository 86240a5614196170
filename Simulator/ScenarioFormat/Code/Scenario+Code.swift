public import Hardware
internal import SettingsFile
public import Simulator

extension Scenario {
    /// A scenario in code. What is left out is as in a file: a plain reader that is plugged in, the card `visa-credit`, a
    /// customer who does what is asked, an issuer who decides by the account, no store, a printer and a disk that work.
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
    ///   - summary: one sentence on what it shows; the scenario's name too.
    ///   - tags: words to choose it by.
    ///   - expectedFailure: why it does not do yet what it expects; nil when it does.
    ///   - seed: what chance is made of; nil when the run decides.
    ///   - clock: the virtual clock at the beginning.
    ///   - readers: the readers that the shop has, in the order in which they are plugged in.
    ///   - card: what is presented when a step names no card; nil for `visa-credit`.
    ///   - issuerRules: by which rules the issuer answers.
    ///   - site: the store that orders come from; nil for none.
    ///   - printer: how the receipt printer is.
    ///   - disk: how the disk is.
    ///   - till: the till's configuration.
    ///   - steps: what happens, in order.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Throws: `CardProfileError` when the built-in card cannot be read.
    public init(
        _ summary: String, tags: [String] = [], expectedFailure: String? = nil, seed: UInt64? = nil,
        clock: ClockSetup = ClockSetup(), readers: [ReaderSetup] = [ReaderSetup()], card: CardSetup? = nil,
        issuerRules: IssuerRules = IssuerRules(), site: SiteSetup? = nil, printer: ScenarioPrinter = .ready,
        disk: ScenarioDisk = .working, till: TillConfiguration = .standard, steps: [ScenarioStep],
        filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) throws(CardProfileError) {
        let standard = try CardSetup("visa-credit")
        self.init(
            name: summary, summary: summary, card: card ?? standard, readers: readers, steps: steps,
            location: SettingsLocation(file: filePath, line: line, column: column))
        (self.tags, self.expectedFailure, self.seed, self.clock) = (tags, expectedFailure, seed, clock)
        (self.issuerRules, self.site, self.printer, self.disk) = (issuerRules, site, printer, disk)
        (self.till, origin) = (till, .code)
    }

    /// The same with more that must be so after the last step.
    ///
    /// - Parameters:
    ///   - checks: what must be so. What is not is told at the line of this call.
    ///   - filePath: where this is written, which needs not be said.
    ///   - line: its line.
    ///   - column: its column.
    /// - Returns: the scenario.
    public func expect(
        _ checks: Expectation.Check..., filePath: String = #filePath, line: Int = #line, column: Int = #column
    ) -> Scenario {
        var scenario = self
        let location = SettingsLocation(file: filePath, line: line, column: column)
        scenario.expectations += checks.map { Expectation(key: $0.key, location: location, check: $0) }
        return scenario
    }
}
