internal import Amounts
internal import Determinism
internal import Files
internal import Networking
internal import Yosemite

/// What the clock of a store's site shows.
enum SiteClock {
    private static let folder = "/usr/share/zoneinfo"

    /// Of the store that is worked with, as its site has told it.
    ///
    /// - Throws: `CommandFailure`
    static func rules(at shop: Shop) async throws(CommandFailure) -> TimeZoneRules {
        let site: Site = try await shop.value {
            AccountAction.loadAndSynchronizeSite(siteID: shop.siteID, forcedUpdate: false, onCompletion: $0)
        }
        return rules(of: site.options)
    }

    /// The site's time zone by its name, when this machine knows it; otherwise by its offset, when the site has told
    /// it; otherwise this machine's offset, now.
    static func rules(of options: SiteOptions, time: any TimeSource = SystemTimeSource()) -> TimeZoneRules {
        if let rules = named(options.timezone) { return rules }
        if let hours = options.gmtOffset, let seconds = seconds(hours) { return TimeZoneRules(offsetSeconds: seconds) }
        return TimeZoneRules(offsetSeconds: time.offsetSeconds(at: time.now()))
    }

    /// The name comes from outside: it must lead nowhere but to a time zone.
    private static func named(_ name: String) -> TimeZoneRules? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let isName = parts.allSatisfy { part in
            part.utf8.first.map { (0x41...0x5A).contains($0) } == true
                && part.utf8.allSatisfy { byte in
                    (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
                        || [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "+")].contains(byte)
                }
        }
        guard isName, let bytes = try? Files.contents("\(folder)/\(name)", atMost: 1 << 17) else { return nil }
        return TimeZoneRules(file: bytes)
    }

    /// Half and quarter hours exist.
    private static func seconds(_ hours: ExactDecimal) -> Int? {
        guard hours.scale <= 4, hours.coefficient.magnitude <= 1_000_000 else { return nil }
        var scaled = Int(hours.coefficient) * 3600
        for _ in 0..<hours.scale { scaled /= 10 }
        return (-86_400...86_400).contains(scaled) ? scaled : nil
    }
}
