internal import CCID
internal import SettingsFile

/// The list `readers.firmware`: what the shop has for its readers.
struct ReaderFirmwareSettings {
    let catalogue: ReaderFirmwareCatalogue

    private static let rowLimit = 100
    private static let keys = ["reader", "version", "file", "updateMode", "required", "requiredFrom"]

    init(_ section: SettingsNode?) throws(SettingsError) {
        var rows: [ReaderFirmware] = []
        for node in try section?.list(count: 0...Self.rowLimit) ?? [] { rows.append(try Self.row(node)) }
        catalogue = ReaderFirmwareCatalogue(rows)
    }

    private static func row(_ node: SettingsNode) throws(SettingsError) -> ReaderFirmware {
        try node.mapping(allowedKeys: keys)
        let reader = try node.required("reader").usbID()
        let updateMode = try node.optional("updateMode")?.usbID() ?? reader
        let version = try node.required("version")
        guard let release = ReaderRelease(try version.text(length: 1...40)) else {
            throw version.error("not a firmware release", fix: "write one such as 5.16")
        }
        return ReaderFirmware(
            vendorID: reader.vendor, productID: reader.product, updateVendorID: updateMode.vendor,
            updateProductID: updateMode.product, release: release, file: try path(try node.required("file")),
            need: try need(node))
    }

    private static func need(_ node: SettingsNode) throws(SettingsError) -> ReaderFirmwareUpdate.Need {
        let isRequired = try node.optional("required")?.bool()
        guard let date = try node.optional("requiredFrom") else { return isRequired == true ? .required : .optional }
        guard isRequired == nil else {
            throw date.error("'required' says something else", fix: "remove one of them")
        }
        return .requiredFrom(try date.date())
    }

    /// A relative name starts at the directory of the configuration.
    private static func path(_ node: SettingsNode) throws(SettingsError) -> String {
        let name = try node.line(length: 1...1024)
        guard !name.hasPrefix("/"), let slash = node.location.file.lastIndex(of: "/") else { return name }
        return node.location.file[...slash] + name
    }
}
