/// Devices that notifications are sent to.
public struct DevicesRemote: Remote {
    /// What a device says of itself.
    public struct Device: Hashable, Sendable {
        public let token: String
        public let family: String
        public let name: String
        public let model: String
        public let osVersion: String
        public let uuid: String?

        public init(
            token: String, family: String, name: String, model: String, osVersion: String, uuid: String? = nil
        ) {
            (self.token, self.family, self.name) = (token, family, name)
            (self.model, self.osVersion, self.uuid) = (model, osVersion, uuid)
        }
    }

    public let sender: any RequestSending

    public init(_ sender: any RequestSending) { self.sender = sender }

    public func registerDevice(
        _ device: Device, applicationID: String, applicationVersion: String, defaultStoreID: Int64
    ) async throws(NetworkError) -> DotcomDevice {
        var parameters: Parameters = [
            "app_secret_key": .text(applicationID), "device_family": .text(device.family),
            "device_token": .text(device.token), "device_model": .text(device.model),
            "device_name": .text(device.name), "app_version": .text(applicationVersion),
            "os_version": .text(device.osVersion), "selected_blog_id": JSONValue(defaultStoreID),
        ]
        parameters.add("device_uuid", ifPresent: device.uuid)
        return try await value(DotcomRequest(.rest1_1, .post, "devices/new", parameters: parameters))
    }

    public func unregisterDevice(_ deviceID: String) async throws(NetworkError) {
        let device = PercentEncoding.encode(deviceID)
        let result: SuccessResult = try await value(DotcomRequest(.rest1_1, .post, "devices/\(device)/delete"))
        try result.confirm()
    }
}
