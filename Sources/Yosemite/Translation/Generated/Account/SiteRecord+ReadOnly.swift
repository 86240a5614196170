// Made by Scripts/generate from Sources/Networking/Models/Account/Site.swift: change that, not this.
public import Networking
public import Storage

extension SiteRecord: ReadOnlyConvertible {
    public init(_ model: Site) {
        self.init(
            id: model.id,
            name: model.name,
            description: model.description,
            url: model.url,
            jetpack: model.jetpack,
            jetpackConnection: model.jetpackConnection,
            wasEcommerceTrial: model.wasEcommerceTrial,
            planProductSlug: model.plan?.productSlug,
            planProductNameShort: model.plan?.productNameShort,
            capabilitiesOwnSite: model.capabilities?.ownSite,
            capabilitiesManageOptions: model.capabilities?.manageOptions,
            optionsAdminURL: model.options.adminURL,
            optionsLoginURL: model.options.loginURL,
            optionsFrameNonce: model.options.frameNonce,
            optionsTimezone: model.options.timezone,
            optionsGmtOffset: model.options.gmtOffset,
            optionsIsWPComStore: model.options.isWPComStore,
            optionsWoocommerceIsActive: model.options.woocommerceIsActive,
            optionsJetpackConnectionActivePlugins: JSONColumn.text(model.options.jetpackConnectionActivePlugins),
            optionsBlogPublic: model.options.blogPublic,
            optionsCanBlaze: model.options.canBlaze)
    }

    public func toReadOnly() throws -> Site {
        try Site(
            id: id,
            name: name,
            description: description,
            url: url,
            jetpack: jetpack,
            jetpackConnection: jetpackConnection,
            wasEcommerceTrial: wasEcommerceTrial,
            plan: readPlan(),
            capabilities: readCapabilities(),
            options: readOptions())
    }

    private func readPlan() throws -> SitePlan? {
        guard planProductSlug != nil else { return nil }
        return try SitePlan(
            productSlug: required(planProductSlug, "planProductSlug"),
            productNameShort: planProductNameShort)
    }

    private func readCapabilities() throws -> SiteCapabilities? {
        guard capabilitiesOwnSite != nil else { return nil }
        return try SiteCapabilities(
            ownSite: required(capabilitiesOwnSite, "capabilitiesOwnSite"),
            manageOptions: required(capabilitiesManageOptions, "capabilitiesManageOptions"))
    }

    private func readOptions() throws -> SiteOptions {
        try SiteOptions(
            adminURL: optionsAdminURL,
            loginURL: optionsLoginURL,
            frameNonce: optionsFrameNonce,
            timezone: optionsTimezone,
            gmtOffset: optionsGmtOffset,
            isWPComStore: optionsIsWPComStore,
            woocommerceIsActive: optionsWoocommerceIsActive,
            jetpackConnectionActivePlugins:
                json(optionsJetpackConnectionActivePlugins, "optionsJetpackConnectionActivePlugins"),
            blogPublic: optionsBlogPublic,
            canBlaze: optionsCanBlaze)
    }
}

extension Site: ReadOnlyType {
    public typealias Record = SiteRecord

    public func isReadOnlyRepresentation(of record: SiteRecord) -> Bool {
        id == record.id
    }
}
