extension FieldRows {
    /// The fields that ISO 8583:1993 changes.
    static let v1993 = """
        5 n 12 Amount, reconciliation
        9 n 8 Conversion rate, reconciliation
        12 n 12 Date and time, local transaction
        13 n 4 Date, effective
        15 n 6 Date, settlement
        22 an 12 Point of service data code
        24 n 3 Function code
        25 n 4 Message reason code
        26 n 4 Card acceptor business code (MCC)
        27 n 1 Approval code length
        28 n 6 Date, reconciliation
        29 n 3 Reconciliation indicator
        30 n 24 Amounts, original
        31 ans ..99 Acquirer reference data
        38 anp 6 Approval code
        39 n 3 Action code
        40 n 3 Service code
        43 ans ..99 Card acceptor name and location
        44 ans ..99 Additional response data
        46 ans ...204 Amounts, fees
        53 b ..48 Security related control information
        54 ans ...120 Amounts, additional
        55 b ...255 Chip data
        56 n ..35 Original data elements
        57 n 3 Authorization life cycle code
        58 n ..11 Authorizing agent institution identification code
        59 ans ...999 Transport data
        60-61 ans ...999 Reserved, national
        62-63 ans ...999 Reserved, private
        65 b 8 Reserved, ISO
        66 ans ...204 Amounts, original fees
        67 n 2 Extended payment data
        70 n 3 Country code, authorizing agent institution
        71 n 8 Message number
        72 ans ...999 Data record
        82 n 10 Inquiries, reversal number
        83 n 10 Payments, number
        84 n 10 Payments, reversal number
        85 n 10 Fee collections, number
        90 n 10 Authorizations, reversal number
        91 n 3 Country code, transaction destination institution
        92 n 3 Country code, transaction originator institution
        93 n ..11 Transaction destination institution identification code
        94 n ..11 Transaction originator institution identification code
        95 ans ..99 Card issuer reference data
        96 b ...999 Key management data
        97 x+n 16 Amount, net reconciliation
        105 n 16 Credits, chargeback amount
        106 n 16 Debits, chargeback amount
        107 n 10 Credits, chargeback number
        108 n 10 Debits, chargeback number
        109 ans ..84 Credits, fee amounts
        110 ans ..84 Debits, fee amounts
        111-115 ans ...999 Reserved, ISO
        116-122 ans ...999 Reserved, national
        123-127 ans ...999 Reserved, private
        """

    /// The fields that ISO 8583:2003 changes. Composites with a bitmap or datasets of their own are bytes here.
    static let v2003 = """
        4 n 16 Amount, transaction
        5 n 16 Amount, reconciliation
        6 n 16 Amount, cardholder billing
        8 n 12 Amount, cardholder billing fee
        11 n 12 System trace audit number (STAN)
        12 n 14 Date and time, local transaction
        13 n 6 Date, effective
        15 n 8 Date, settlement
        18 ans ...140 Message error indicator
        21 an 22 Transaction life cycle identification data
        22 b 16 Point of service data code
        27 b 27 Point of service capability
        28 n 8 Date, reconciliation
        30 n 32 Amounts, original
        31 ans ..99 Acquirer reference data
        34 b ....9999 Electronic commerce data
        39 n 4 Action code
        41 ans 16 Card acceptor terminal identification
        42 ans ..35 Card acceptor identification code
        43 b ....9999 Card acceptor name and location
        44 b ....9999 Additional response data
        46 ans ...216 Amounts, fees
        48 b ....9999 Additional data, private
        49 b ....9999 Verification data
        53 b ..48 Security related control information
        54 ans ...126 Amounts, additional
        55 b ....9999 Chip data
        56 n ..41 Original data elements
        66 ans ...216 Amounts, original fees
        71 n 8 Message number
        72 b ....9999 Data record
        74 b 78 Reconciliation data, primary
        75 b 78 Reconciliation data, secondary
        76-92 ans ...999 Reserved, ISO
        97 x+n 20 Amount, net reconciliation
        104 b ....9999 Transaction specific data
        """
}
