public import Networking

/// What ``TaxClassesStore`` does. Every completion is called exactly once.
public enum TaxClassesAction: Action {
    public typealias Completion<Value> = @Sendable (Result<Value, StoreError>) -> Void

    /// Fetches and keeps the tax classes of a site; those that it no longer has go away.
    case retrieveTaxClasses(siteID: Int64, onCompletion: Completion<ElementList<TaxClass>>)
    /// The tax class of something that has one: as it is kept, otherwise asked for. Nil when the site does not know it.
    case requestMissingTaxClasses(siteID: Int64, slug: String, onCompletion: Completion<TaxClass?>)
    /// Fetches and keeps a page of tax rates. The first page forgets the site's rates that were kept.
    case retrieveTaxRates(siteID: Int64, page: PageRequest, onCompletion: Completion<Page<TaxRate>>)
    /// Fetches and keeps one tax rate.
    case retrieveTaxRate(siteID: Int64, taxRateID: Int64, onCompletion: Completion<TaxRate>)

    public var redactedDescription: [String: String] {
        switch self {
        case .retrieveTaxClasses(let siteID, _): ["site": String(siteID)]
        case .requestMissingTaxClasses(let siteID, let slug, _): ["site": String(siteID), "class": slug]
        case .retrieveTaxRates(let siteID, let page, _): ["site": String(siteID), "page": String(page.number)]
        case .retrieveTaxRate(let siteID, let id, _): ["site": String(siteID), "rate": String(id)]
        }
    }
}
