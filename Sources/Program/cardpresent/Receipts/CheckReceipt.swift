import ArgumentParser
import Payments
import Receipts
import TillConfiguration
import Yosemite

/// `receipts check`
struct CheckReceipt: TillCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Check the latest receipt of a payment against card brand and regional rules.",
        discussion: """
            EXAMPLES:
              cardpresent receipts check P000001
              cardpresent receipts check P000001 --region eu

            Lists missing and forbidden fields with the rule, the source of the data, and the fix. Exits with 7 when a \
            required field is missing or a forbidden field is present; recommendations do not affect the exit code. \
            The rules cover part of what acquirers require: yours may require more.
            """)

    @OptionGroup var selection: ReceiptSelection
    @Option(
        help: ArgumentHelp(
            "Region of the rules. Default: the configured region.",
            valueName: ReceiptRegion.allValueStrings.joined(separator: "|")))
    var region: ReceiptRegion?
    @OptionGroup var options: CommonOptions

    func execute() async throws {
        let settings = try options.till.settings()
        var style = ReceiptStyle(settings.receipt)
        if let region { style.region = region }
        let till = try await options.till.open(for: Self.databaseUse, settings)
        let check = ReceiptCheck(try await selection.load(from: till).content, style: style)
        try output.write(check)
        guard check.isComplete else { throw ExitCode(ExitStatus.differs.rawValue) }
    }
}

/// The result of `receipts check`.
struct ReceiptCheck: CommandResult {
    private let content: ReceiptContent
    private let region: ReceiptRegion
    /// The findings with the copies that they affect; recommendations come last.
    private let findings: [(finding: ReceiptFinding, copies: [String])]
    /// Whether no required field is missing and no forbidden field is present.
    let isComplete: Bool

    init(_ content: ReceiptContent, style: ReceiptStyle) {
        (self.content, region) = (content, style.region)
        let found = ReceiptCopy.allCases.flatMap {
            ReceiptRules.check(ReceiptDocument(content, copy: $0).styled(by: style))
        }
        isComplete = !found.contains { $0.isFault }
        var findings: [(finding: ReceiptFinding, copies: [String])] = []
        for finding in found {
            let known = findings.firstIndex {
                ($0.finding.field, $0.finding.problem, $0.finding.source)
                    == (finding.field, finding.problem, finding.source)
            }
            if let known {
                findings[known].copies.append(finding.copy.rawValue)
            } else {
                findings.append((finding, [finding.copy.rawValue]))
            }
        }
        self.findings = findings.filter { $0.finding.isFault } + findings.filter { !$0.finding.isFault }
    }

    var json: JSONObject {
        let findings = findings.map { finding, copies -> JSONObject in
            [
                "field": finding.field.rawValue, "problem": finding.problem.rawValue,
                "demand": finding.demand.rawValue, "copies": copies, "source": finding.source.title,
                "origin": finding.origin, "remedy": finding.remedy,
            ]
        }
        return [
            "payment": content.payment, "kind": content.kind.rawValue, "outcome": content.outcome.rawValue,
            "brand": content.card?.brand, "region": region.rawValue, "isComplete": isComplete, "findings": findings,
        ]
    }

    var text: String {
        var text =
            "\(content.payment)  \(content.kind.rawValue) \(content.outcome.rawValue)  "
            + "\(content.card?.brand ?? "no card")  rules of region \(region.rawValue)\n"
        for (finding, copies) in findings {
            let word = finding.isFault ? finding.problem.rawValue : "recommended"
            let place = copies.joined(separator: " and ") + (copies.count == 1 ? " copy" : " copies")
            text += """
                \(word.uppercased())  \(finding.field.rawValue)  (\(place))
                  rule:    \(finding.source.title)
                  source:  \(finding.origin)
                  fix:     \(finding.remedy)

                """
        }
        return text + (isComplete ? "All required fields are present.\n" : "")
    }
}
