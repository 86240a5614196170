import Text

/// An element of the catalog that clients change, and delete by way of a trash.
protocol CatalogElement {
    var id: Int64 { get }
    /// The members that have no other effect; `status` tells whether it is in the trash.
    var extras: Extras { get set }
    /// Whether it is not in the trash.
    var isListed: Bool { get }

    /// Changes the element as requested.
    ///
    /// - Throws: the error of WooCommerce for an invalid request; then nothing has changed.
    mutating func change(_ parameters: SiteParameters, in store: inout SiteStore) throws(SiteError)
}

extension SiteStore {
    /// Changes the element at an index as a call requests.
    ///
    /// - Returns: The changed element.
    /// - Throws: the error of WooCommerce for an invalid request; then nothing has changed.
    mutating func changeElement<Element: CatalogElement>(
        at index: Int, of list: WritableKeyPath<SiteStore, [Element]>, _ call: Call
    ) throws(SiteError) -> Element {
        var element = self[keyPath: list][index]
        try element.change(call.parameters, in: &self)
        self[keyPath: list][index] = element
        return element
    }

    /// Deletes the element at an index; without `force` it goes to the trash. `name` says what it is, for the error.
    ///
    /// - Returns: The element as it was, or as it is in the trash.
    /// - Throws: the error of WooCommerce if it is in the trash already.
    mutating func deleteElement<Element: CatalogElement>(
        at index: Int, of list: WritableKeyPath<SiteStore, [Element]>, _ call: Call, name: String
    ) throws(SiteError) -> Element {
        let isForced = try call.parameters.flag("force") ?? false
        var element = self[keyPath: list][index]
        guard isForced || element.isListed else {
            throw SiteError(410, "woocommerce_rest_already_trashed", "The \(name) has already been deleted.")
        }
        if isForced {
            self[keyPath: list].remove(at: index)
        } else {
            element.extras["status"] = "trash"
            self[keyPath: list][index] = element
        }
        return element
    }
}
