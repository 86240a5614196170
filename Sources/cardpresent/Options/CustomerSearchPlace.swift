internal import ArgumentParser
internal import Networking

/// Where a search for customers looks.
struct CustomerSearchPlace: ExpressibleByArgument, Hashable, Sendable {
    let filter: WCAnalyticsCustomerRemote.SearchFilter

    init(_ filter: WCAnalyticsCustomerRemote.SearchFilter) { self.filter = filter }

    init?(argument: String) {
        guard let filter = WCAnalyticsCustomerRemote.SearchFilter(rawValue: argument) else { return nil }
        self.filter = filter
    }

    var defaultValueDescription: String { filter.rawValue }

    static let allValueStrings = WCAnalyticsCustomerRemote.SearchFilter.allCases.map(\.rawValue)
}
