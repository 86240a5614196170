/// Decides which way a request goes: with the credentials of a site, what could go through the tunnel goes directly.
public struct RequestConverter: Sendable {
    private let site: WebAddress?

    /// - Parameter site: the site that is asked directly, nil to leave requests as they are.
    public init(site: WebAddress?) { self.site = site }

    public init(credentials: Credentials?) { site = credentials?.directSite }

    public func convert(_ request: any Request) -> any Request {
        guard let site, let direct = request.direct(site: site) else { return request }
        return direct
    }
}
