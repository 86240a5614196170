extension WebAddress {
    /// The number of a site that is reached without WordPress.com, which gives sites their numbers.
    ///
    /// It is made of host, port and path, so it stays the same when a site turns from http to https. It lies between
    /// 2^52 and 2^53: WordPress.com's numbers are far smaller, and every program can read it exactly.
    public var directSiteID: Int64 {
        let folder = path.hasSuffix("/") ? String(path.dropLast()) : path
        let port = origin.port == origin.scheme.defaultPort ? "" : ":\(origin.port)"
        // FNV-1a.
        let hash = "\(origin.host)\(port)\(folder)".utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
            ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
        let bits = (hash ^ hash >> 52) & (1 << 52 - 1)
        return Int64(1 << 52 | bits)
    }
}
