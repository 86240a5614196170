internal import Networking

/// The carrier that somebody chose last for the parcels of a store.
public struct TrackingProviderChoice: Hashable, Sendable {
    public let name: String
    /// Where parcels are followed; nil for a carrier that the store knows.
    public let url: String?

    public init(name: String, url: String? = nil) { (self.name, self.url) = (name, url) }
}

extension SettingsKey<TrackingProviderChoice> {
    static var trackingProvider: SettingsKey<TrackingProviderChoice> { provider("trackingProvider") }
    static var customTrackingProvider: SettingsKey<TrackingProviderChoice> { provider("customTrackingProvider") }

    private static func provider(_ name: String) -> SettingsKey<TrackingProviderChoice> {
        SettingsKey(
            name: name,
            read: { value in
                value["name"]?.textValue.map { TrackingProviderChoice(name: $0, url: value["url"]?.textValue) }
            },
            write: { choice in
                var members = [JSONValue.Member("name", .text(choice.name))]
                if let url = choice.url { members.append(JSONValue.Member("url", .text(url))) }
                return .object(members)
            })
    }
}
