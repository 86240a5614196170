import ArgumentParser
import Determinism
import Fleet
import Money
import Payments
import Text

/// `fleet status`
struct FleetStatus: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Show the lanes of the fleet: what waits, how late, and what is refused.",
        discussion: """
            EXAMPLES:
              cardpresent fleet status
              cardpresent fleet status --shop harbor --json

            'lag' is how old the oldest change of the last batch was when it arrived, by the time of its row: a row that \
            is sent anew, or changes without a new state, counts with its last state. 'heard' is how long ago that was. \
            'refused' says why a lane did not ship: 'restored' (its records are a backup, or a copy), 'lost' (the back \
            office is), 'epoch' (it was enrolled again elsewhere). It stays until the lane is enrolled again, also \
            while another copy of it ships. 'lost' counts attempts that only an earlier epoch or another copy has, also \
            those of a payment whose number another one has now.
            """)

    @OptionGroup var shop: ShopOption
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func execute() async throws {
        let (office, shop) = (try office.open(), shop.shop)
        let lanes = try await CommandFailure.fleet { () async throws(FleetError) in try await office.lanes(of: shop) }
        try output.write(table: lanes, right: [2, 3, 4, 5, 6, 7], whenEmpty: "No lanes that you may see.")
    }
}

extension LaneStatus: TableRow {
    static var heads: [String] {
        ["shop", "lane", "waiting", "lag", "heard", "payments", "unknown", "lost", "refused"]
    }

    var cells: [String] {
        [
            shop, name, String(waiting), Self.text(lag), Self.text(silence), String(payments), String(unknown),
            String(lostAttempts), isRetired ? "replaced" : refusal ?? "",
        ]
    }

    var colors: [Int: WordColor] {
        var colors: [Int: WordColor] = refusal == nil ? [:] : [8: .bad]
        if unknown > 0 { colors[6] = .doubtful }
        return colors
    }

    var json: JSONObject {
        [
            "shop": shop, "lane": name, "id": id, "epoch": epoch, "applied": applied, "written": written,
            "waiting": waiting, "lagSeconds": Self.seconds(lag), "heardSecondsAgo": Self.seconds(silence),
            "clockDifferenceSeconds": Self.seconds(clockDifference), "refused": refusal, "replaced": isRetired,
            "payments": payments, "unknown": unknown, "advices": advices, "lostAttempts": lostAttempts,
        ]
    }

    private static func seconds(_ duration: Duration?) -> Double? {
        duration.map { Double(Int($0 / .milliseconds(1))) / 1000 }
    }

    private static func text(_ duration: Duration?) -> String { seconds(duration).map { "\($0) s" } ?? "" }
}

/// `fleet payments`
struct FleetPayments: ReportingCommand {
    static let configuration = CommandConfiguration(
        commandName: "payments", abstract: "List the payments of all lanes, newest first.",
        discussion: """
            EXAMPLES:
              cardpresent fleet payments --unknown
              cardpresent fleet payments --shop harbor --lane 'till 3' --since 2026-01-02 --json
              cardpresent fleet payments --last4 0010

            Times are those of the server's clock. The lane is the authority for a payment, and ends an unknown one: \
            'cardpresent payments recover' there.
            """)

    @Flag(help: "Only payments whose outcome is unknown.")
    var unknown = false
    @Option(help: ArgumentHelp("Only payments with this status.", valueName: "status"))
    var status: PaymentState?
    @Option(help: ArgumentHelp("Only payments of this lane.", valueName: "lane"))
    var lane: String?
    @Option(name: .customLong("last4"), help: ArgumentHelp("Last four digits of the card number.", valueName: "digits"))
    var lastFour: String?
    @Option(help: ArgumentHelp("Only payments from this day or time on.", valueName: "time"))
    var since: DayOrTime?
    @Option(help: ArgumentHelp("Only payments up to the end of this day, or before this time.", valueName: "time"))
    var until: DayOrTime?
    @OptionGroup var shop: ShopOption
    @OptionGroup var list: LongListOptions
    @OptionGroup var office: OfficeOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard !unknown || status == nil else { throw ValidationError("--unknown cannot be used with --status") }
        guard lastFour?.isLastFour ?? true else { throw ValidationError(String.lastFourHint) }
    }

    func execute() async throws {
        let office = try office.open()
        let filter = OfficePaymentFilter(
            shop: shop.shop, lane: lane, state: unknown ? PaymentState.unknown.rawValue : status?.rawValue,
            lastFour: lastFour, since: since?.beginning, until: until?.end, limit: list.limit)
        let payments = try await CommandFailure.fleet { () async throws(FleetError) in
            try await office.payments(matching: filter)
        }
        try output.write(table: payments, right: [4, 5], whenEmpty: "No matching payments that you may see.")
    }
}

extension OfficePayment: TableRow {
    static var heads: [String] { ["shop", "lane", "payment", "state", "amount", "refunded", "card", "time"] }

    var cells: [String] {
        [
            shop, lane, "\(id)", state, decimal(amount) + " " + currencyCode,
            refunded == 0 ? "" : decimal(refunded),
            isErased ? "erased" : [brand, lastFour].compactMap(\.self).joined(separator: " "),
            LocalTime.current.second(createdAt),
        ]
    }

    private var id: PaymentID { PaymentID(rawValue: number) }

    /// An amount in the currency; in minor units when ISO 4217 does not have it.
    private func decimal(_ amount: Int64) -> String {
        (amount < 0 ? "-" : "") + amount.magnitude.decimalText(scale: currency?.exponent ?? 0)
    }

    var json: JSONObject {
        let object: JSONObject = [
            "shop": shop, "lane": lane, "id": "\(id)", "state": state, "amount": amount, "refundedAmount": refunded,
            "brand": brand, "last4": lastFour, "createdAt": createdAt.description,
            "receivedAt": receivedAt.description, "erased": isErased,
        ]
        return object.amounts(inCode: currencyCode)
    }
}
