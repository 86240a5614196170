import Determinism
import Networking
import Yosemite

// What the user chose for a store and has remembered, in the settings file beside the database.

extension Shop {
    /// Makes a filter that of `orders list`; one that selects all orders forgets it.
    ///
    /// - Throws: `CommandFailure`
    func remember(_ filter: OrderQuery) async throws(CommandFailure) {
        let settings = OrdersSettings(
            statuses: filter.statuses?.map(\.rawValue) ?? [], from: filter.since?.description,
            customerID: filter.customerID)
        try await value {
            AppSettingsAction.upsertOrdersSettings(siteID: siteID, settings: settings, onCompletion: $0)
        } as Void
    }

    /// Returns the remembered filter of `orders list`; nil for none.
    ///
    /// - Throws: `CommandFailure`
    func rememberedFilter() async throws(CommandFailure) -> RememberedFilter? {
        let settings: OrdersSettings? = try await value {
            AppSettingsAction.loadOrdersSettings(siteID: siteID, onCompletion: $0)
        }
        return settings.flatMap(RememberedFilter.init)
    }
}

/// The filter of `orders list` that is used when none is given.
struct RememberedFilter: Sendable {
    private let statuses: [String]
    private let since: Timestamp?
    private let customerID: Int64?

    /// Nil when the settings select all orders.
    init?(_ settings: OrdersSettings) {
        statuses = settings.statuses
        since = settings.from.flatMap { Moment(argument: $0)?.timestamp }
        customerID = settings.customerID
        if statuses.isEmpty, since == nil, customerID == nil { return nil }
    }

    func query(limit: Int) -> OrderQuery {
        OrderQuery(
            statuses: statuses.isEmpty ? nil : statuses.map(OrderStatusEnum.init(rawValue:)), since: since,
            customerID: customerID, limit: limit)
    }

    /// The filter as options of the command.
    var options: String {
        let words =
            statuses.map { "--status \($0)" }
            + [since.map { "--since \($0)" }, customerID.map { "--customer \($0)" }]
            .compactMap(\.self)
        return words.joined(separator: " ")
    }
}

extension Shop {
    /// Makes a period that of `stats`.
    ///
    /// - Throws: `CommandFailure`
    func remember(_ range: StatsRange) async throws(CommandFailure) {
        var word = range
        if case .period(.custom) = range {
            try await value {
                AppSettingsAction.setCustomStatsTimeRange(
                    siteID: siteID, timeRange: range.argument, onCompletion: $0)
            } as Void
            word = .rememberedDays
        }
        try await value {
            AppSettingsAction.setLastSelectedStatsTimeRange(
                siteID: siteID, timeRange: word.argument, onCompletion: $0)
        } as Void
    }

    /// Returns the remembered period of `stats`; nil for none.
    ///
    /// - Throws: `CommandFailure`
    func rememberedRange() async throws(CommandFailure) -> StatsTimeRangeV4? {
        let word: String? = try await value {
            AppSettingsAction.loadLastSelectedStatsTimeRange(siteID: siteID, onCompletion: $0)
        }
        switch word.flatMap({ StatsRange(argument: $0) }) {
        case .period(let range): return range
        case .rememberedDays: return try await rememberedDays()
        case nil: return nil
        }
    }

    /// Returns the two days that were remembered last; nil for none.
    ///
    /// - Throws: `CommandFailure`
    func rememberedDays() async throws(CommandFailure) -> StatsTimeRangeV4? {
        let days: String? = try await value {
            AppSettingsAction.loadCustomStatsTimeRange(siteID: siteID, onCompletion: $0)
        }
        guard case .period(let range) = days.flatMap({ StatsRange(argument: $0) }) else { return nil }
        return range
    }
}

extension Shop {
    /// Remembers the carrier of a shipment that was added. The shipment exists, so an error is reported only.
    ///
    /// - Parameters:
    ///   - carrier: The name of the carrier.
    ///   - isCustom: Whether the store does not have the carrier.
    func remember(carrier: String, isCustom: Bool) async {
        do throws(CommandFailure) {
            try await value { onCompletion in
                isCustom
                    ? AppSettingsAction.addCustomTrackingProvider(
                        siteID: siteID, name: carrier, url: nil, onCompletion: onCompletion)
                    : AppSettingsAction.addTrackingProvider(
                        siteID: siteID, providerName: carrier, onCompletion: onCompletion)
            } as Void
        } catch {
            error.report()
        }
    }

    /// Returns the carrier of the last shipment that was added on this machine.
    ///
    /// - Parameter isCustom: Whether the store does not have the carrier.
    /// - Returns: The name of the carrier.
    /// - Throws: `CommandFailure` when there is none.
    func rememberedCarrier(isCustom: Bool) async throws(CommandFailure) -> String {
        let choice: TrackingProviderChoice? = try await value { onCompletion in
            isCustom
                ? AppSettingsAction.loadCustomTrackingProvider(siteID: siteID, onCompletion: onCompletion)
                : AppSettingsAction.loadTrackingProvider(siteID: siteID, onCompletion: onCompletion)
        }
        guard let choice else {
            throw CommandFailure(
                .usage, code: "no_carrier", message: "no carrier was used before",
                fix: "name it with --provider; 'cardpresent shipments providers ORDER' lists the store's carriers")
        }
        return choice.name
    }
}
