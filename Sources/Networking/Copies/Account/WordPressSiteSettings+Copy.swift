// Made by Scripts/generate from Sources/Networking/Models/Account/WordPressSiteSettings.swift: change that, not this.
extension WordPressSiteSettings {
    /// The same with other values for what is given; what is nil stays.
    public func copy(title: String? = nil, description: String? = nil, url: String? = nil) -> WordPressSiteSettings {
        WordPressSiteSettings(
            title: title ?? self.title,
            description: description ?? self.description,
            url: url ?? self.url)
    }
}
