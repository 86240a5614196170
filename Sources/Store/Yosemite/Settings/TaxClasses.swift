import Concurrency
public import Networking
import Storage

/// The actions of ``TaxClassesStore``. Every completion is called exactly once.
public enum TaxClassesAction: Action {
    /// Fetches and stores the tax classes of a site. Classes that it no longer has are deleted.
    case retrieveTaxClasses(siteID: Int64, onCompletion: Completion<ElementList<TaxClass>>)
    /// Returns the tax class with a slug: the stored one, or otherwise the site's. Nil when the site doesn't have it.
    case requestMissingTaxClasses(siteID: Int64, slug: String, onCompletion: Completion<TaxClass?>)
    /// Fetches and stores a page of tax rates. The first page replaces the stored rates of the site.
    case retrieveTaxRates(siteID: Int64, page: PageRequest, onCompletion: Completion<Page<TaxRate>>)
    /// Fetches and stores one tax rate.
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

/// The tax classes and tax rates of sites.
///
/// Stored values are replaced only after a successful response.
public final class TaxClassesStore: Store {
    private let context: StoreContext
    private let remote: TaxRemote

    /// Handles the tax actions of the session that `context` belongs to.
    public init(_ context: StoreContext) { (self.context, remote) = (context, TaxRemote(context.sender)) }

    public func onAction(_ action: TaxClassesAction) {
        switch action {
        case .retrieveTaxClasses(let siteID, let onCompletion): retrieveTaxClasses(of: siteID, onCompletion)
        case .requestMissingTaxClasses(let siteID, let slug, let onCompletion):
            requestMissingTaxClass(slug, of: siteID, onCompletion)
        case .retrieveTaxRates(let siteID, let page, let onCompletion):
            retrieveTaxRates(of: siteID, page, onCompletion)
        case .retrieveTaxRate(let siteID, let taxRateID, let onCompletion):
            context.synchronize(
                CommandKey("taxes.rate", String(siteID), String(taxRateID)),
                { [remote] () throws(NetworkError) in
                    try await remote.loadTaxRate(siteID: siteID, taxRateID: taxRateID)
                },
                save: { rate, storage in
                    try storage.save(rate)
                    return rate
                }, onCompletion)
        }
    }

    private func retrieveTaxClasses(
        of siteID: Int64, _ onCompletion: @escaping TaxClassesAction.Completion<ElementList<TaxClass>>
    ) {
        context.synchronize(
            CommandKey("taxes.classes", String(siteID)),
            { [remote] () throws(NetworkError) in try await remote.loadTaxClasses(siteID: siteID) },
            save: { list, storage in
                if list.rejected.isEmpty {
                    let slugs = list.elements.map(\.slug)
                    try storage.delete(TaxClass.self) { $0.siteID == siteID && !$0.slug.isIn(slugs) }
                }
                try storage.save(list.elements)
                return list
            }, onCompletion)
    }

    private func requestMissingTaxClass(
        _ slug: String, of siteID: Int64, _ onCompletion: @escaping TaxClassesAction.Completion<TaxClass?>
    ) {
        // WooCommerce writes the standard class of a product as an empty name.
        let slug = slug.isEmpty ? "standard" : slug
        let kept: TaxClass?
        do throws(StoreError) {
            kept = try context.read { storage in
                try storage.model(TaxClass.self) { $0.siteID == siteID && $0.slug == slug }
            }
        } catch {
            return onCompletion(.failure(error))
        }
        if let kept { return onCompletion(.success(kept)) }
        retrieveTaxClasses(of: siteID) { result in
            onCompletion(result.map { list in list.elements.first { $0.slug == slug } })
        }
    }

    private func retrieveTaxRates(
        of siteID: Int64, _ wanted: PageRequest, _ onCompletion: @escaping TaxClassesAction.Completion<Page<TaxRate>>
    ) {
        context.synchronize(
            CommandKey("taxes.rates", String(siteID), String(wanted.number), String(wanted.size)),
            { [remote] () throws(NetworkError) in try await remote.loadTaxRates(siteID: siteID, page: wanted) },
            save: { page, storage in
                if wanted.number == 1, page.list.rejected.isEmpty {
                    try storage.delete(TaxRate.self) { $0.siteID == siteID }
                }
                try storage.save(page.elements)
                return page
            }, onCompletion)
    }
}
