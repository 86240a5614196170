import ISO8583

/// The response codes of field 39 in each edition. The acquirer decides with those of 1987.
enum ResponseCodes {
    static let approved = "00"
    /// The acquirer does not do this.
    static let invalid = "12"
    static let wrongAmount = "13"
    static let notFound = "25"
    static let notSupported = "40"
    static let signedOff = "58"
    static let busy = "91"
    static let duplicate = "94"
    static let outOfBalance = "95"
    static let malfunction = "96"

    /// Returns a code in the edition of a profile.
    ///
    /// - Parameters:
    ///   - code: the code of 1987.
    ///   - kind: what it answers: since 1993 each kind has a code of its own for success; nil for an unknown message.
    ///   - version: the edition.
    /// - Returns: the code.
    static func text(_ code: String, answering kind: MessageKind?, _ version: MessageVersion) -> String {
        guard version != .v1987 else { return code }
        let digits = code == approved ? success(kind) : later[code] ?? "100"
        // 2003 has the category in front.
        return version == .v1993 ? digits : "\(digits.prefix(1))0\(digits.dropFirst())"
    }

    private static func success(_ kind: MessageKind?) -> String {
        switch kind {
        case .reversal: "400"
        case .settlement: "500"
        case .signOn, .signOff, .echo, .keyExchange: "800"
        case .completion, .offlineAdvice, .declineAdvice: "900"
        default: "000"
        }
    }

    /// The codes of 1993.
    private static let later = [
        "01": "107", "02": "108", "03": "109", "04": "200", "05": "100", "06": "909", "07": "207", "08": "001",
        "10": "002", "11": "003", "12": "902", "13": "110", "14": "111", "15": "908", "16": "004", "19": "903",
        "25": "914", "30": "904", "33": "201", "34": "202", "36": "204", "38": "206", "40": "115", "41": "208",
        "43": "209", "51": "116", "54": "101", "55": "117", "57": "119", "58": "120", "59": "102", "61": "121",
        "62": "104", "63": "122", "64": "110", "65": "123", "68": "911", "70": "112", "75": "106", "76": "914",
        "77": "914",
        "78": "914", "82": "122", "85": "000", "88": "122", "91": "911", "92": "908", "93": "124", "94": "913",
        "95": "501", "96": "909", "98": "916", "99": "920", "1A": "112",
    ]
}
