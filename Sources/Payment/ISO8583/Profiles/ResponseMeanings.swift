/// The meanings of the editions' response codes, in words.
enum ResponseMeanings {
    static func of(_ version: MessageVersion) -> [String: String] {
        switch version {
        case .v1987: v1987
        case .v1993: v1993
        // 2003 has a digit in front, or none of these.
        case .v2003:
            Dictionary(uniqueKeysWithValues: v1993.map { ("\($0.key.prefix(1))0\($0.key.dropFirst())", $0.value) })
        }
    }

    private static let v1987 = table(
        """
        00 approved
        01 refer to the issuer
        02 refer to the issuer, special condition
        03 invalid merchant
        04 pick up the card
        05 do not honor
        06 error
        07 pick up the card, special condition
        08 honor with identification
        09 request in progress
        10 approved for a part of the amount
        11 approved, VIP
        12 invalid transaction
        13 invalid amount
        14 invalid card number
        15 no such issuer
        16 approved, update track 3
        17 canceled by the customer
        18 disputed by the customer
        19 enter the transaction again
        20 invalid answer
        21 no action taken
        22 suspected malfunction
        23 unacceptable fee
        25 no such record
        30 format error
        31 bank not supported
        33 expired card, pick up
        34 suspected fraud, pick up
        35 call the acquirer, pick up
        36 restricted card, pick up
        37 call the acquirer's security, pick up
        38 too many wrong PINs, pick up
        39 no credit account
        40 function not supported
        41 lost card, pick up
        42 no universal account
        43 stolen card, pick up
        44 no investment account
        51 not sufficient funds
        52 no checking account
        53 no savings account
        54 expired card
        55 wrong PIN
        56 no card record
        57 not permitted to the cardholder
        58 not permitted to the terminal
        59 suspected fraud
        60 call the acquirer
        61 exceeds the amount limit
        62 restricted card
        63 security violation
        64 original amount is wrong
        65 exceeds the count limit
        66 call the acquirer's security
        67 hard capture
        68 answer came too late
        70 PIN needed, or contact the issuer
        75 too many wrong PINs
        76 original not found
        77 original does not match
        78 trace number not found
        79 batch not found
        80 wrong batch
        82 wrong CVV or cryptogram
        85 no reason to decline
        87 cash back refused, purchase approved
        88 key or MAC trouble
        89 wrong terminal or key
        90 cut-off in progress
        91 issuer or switch inoperative
        92 no route to the issuer
        93 violation of law
        94 duplicate transmission
        95 reconciliation error
        96 system malfunction
        98 wrong MAC
        99 wrong PIN block
        1A strong authentication needed
        """)

    private static let v1993 = table(
        """
        000 approved
        001 approved with identification
        002 approved for a part of the amount
        003 approved, VIP
        004 approved, update track 3
        005 approved, account type of the issuer
        006 approved for a part, account type of the issuer
        007 approved, update the chip
        100 do not honor
        101 expired card
        102 suspected fraud
        103 call the acquirer
        104 restricted card
        105 call the acquirer's security
        106 too many wrong PINs
        107 refer to the issuer
        108 refer to the issuer, special condition
        109 invalid merchant
        110 invalid amount
        111 invalid card number
        112 PIN needed
        113 unacceptable fee
        114 no account of this type
        115 function not supported
        116 not sufficient funds
        117 wrong PIN
        118 no card record
        119 not permitted to the cardholder
        120 not permitted to the terminal
        121 exceeds the amount limit
        122 security violation
        123 exceeds the count limit
        124 violation of law
        125 card not effective
        200 do not honor, pick up
        201 expired card, pick up
        202 suspected fraud, pick up
        203 call the acquirer, pick up
        204 restricted card, pick up
        205 call the acquirer's security, pick up
        206 too many wrong PINs, pick up
        207 special condition, pick up
        208 lost card, pick up
        209 stolen card, pick up
        210 counterfeit card, pick up
        400 reversal accepted
        500 in balance
        501 out of balance
        502 amounts not reconciled
        503 no totals
        504 not reconciled
        600 administrative message accepted
        700 fee accepted
        800 network management accepted
        900 advice acknowledged
        901 advice acknowledged with liability
        902 invalid transaction
        903 enter the transaction again
        904 format error
        905 acquirer not supported
        906 cut-over in progress
        907 issuer inoperative
        908 no destination
        909 system malfunction
        910 issuer signed off
        911 issuer timed out
        912 issuer unavailable
        913 duplicate transmission
        914 original not found
        915 cut-over error
        916 wrong MAC
        917 key synchronization error
        918 no keys
        919 key synchronization error
        920 security error, try again
        921 security error, no action
        922 number out of sequence
        923 request in progress
        950 violation of a business rule
        """)

    private static func table(_ text: String) -> [String: String] {
        var table: [String: String] = [:]
        for row in text.split(separator: "\n") {
            guard let blank = row.firstIndex(of: " ") else { continue }
            table[String(row[..<blank])] = String(row[row.index(after: blank)...])
        }
        return table
    }
}
