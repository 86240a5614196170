/// The fields of the three editions. A later edition repeats only what differs from the one before.
enum FieldRows {}

extension FieldRows {
    /// The fields of ISO 8583:1987. Field 55 is reserved there, and has chip data in practice.
    static let v1987 = """
        2 n 8..19 Primary account number (PAN)
        3 n 6 Processing code
        4 n 12 Amount, transaction
        5 n 12 Amount, settlement
        6 n 12 Amount, cardholder billing
        7 n 10 Transmission date and time
        8 n 8 Amount, cardholder billing fee
        9 n 8 Conversion rate, settlement
        10 n 8 Conversion rate, cardholder billing
        11 n 6 System trace audit number (STAN)
        12 n 6 Time, local transaction
        13 n 4 Date, local transaction
        14 n 4 Date, expiration
        15 n 4 Date, settlement
        16 n 4 Date, conversion
        17 n 4 Date, capture
        18 n 4 Merchant type (MCC)
        19 n 3 Country code, acquiring institution
        20 n 3 Country code, PAN extended
        21 n 3 Country code, forwarding institution
        22 n 3 Point of service entry mode
        23 n 3 Card sequence number
        24 n 3 Network international identifier (NII)
        25 n 2 Point of service condition code
        26 n 2 Point of service PIN capture code
        27 n 1 Authorization identification response length
        28 x+n 8 Amount, transaction fee
        29 x+n 8 Amount, settlement fee
        30 x+n 8 Amount, transaction processing fee
        31 x+n 8 Amount, settlement processing fee
        32 n ..11 Acquiring institution identification code
        33 n ..11 Forwarding institution identification code
        34 ns ..28 PAN extended
        35 z ..37 Track 2 data
        36 z ...104 Track 3 data
        37 an 12 Retrieval reference number
        38 an 6 Authorization identification response
        39 an 2 Response code
        40 an 3 Service restriction code
        41 ans 8 Card acceptor terminal identification
        42 ans 15 Card acceptor identification code
        43 ans 40 Card acceptor name and location
        44 ans ..25 Additional response data
        45 ans ..76 Track 1 data
        46 ans ...999 Additional data, ISO
        47 ans ...999 Additional data, national
        48 ans ...999 Additional data, private
        49 an 3 Currency code, transaction
        50 an 3 Currency code, settlement
        51 an 3 Currency code, cardholder billing
        52 b 8 PIN data
        53 n 16 Security related control information
        54 an ...120 Additional amounts
        55 b ...255 Chip data
        56 ans ...999 Reserved, ISO
        57-59 ans ...999 Reserved, national
        60-63 ans ...999 Reserved, private
        64 b 8 Message authentication code
        65 b 8 Bitmap, tertiary
        66 n 1 Settlement code
        67 n 2 Extended payment code
        68 n 3 Country code, receiving institution
        69 n 3 Country code, settlement institution
        70 n 3 Network management information code
        71 n 4 Message number
        72 n 4 Message number, last
        73 n 6 Date, action
        74 n 10 Credits, number
        75 n 10 Credits, reversal number
        76 n 10 Debits, number
        77 n 10 Debits, reversal number
        78 n 10 Transfer, number
        79 n 10 Transfer, reversal number
        80 n 10 Inquiries, number
        81 n 10 Authorizations, number
        82 n 12 Credits, processing fee amount
        83 n 12 Credits, transaction fee amount
        84 n 12 Debits, processing fee amount
        85 n 12 Debits, transaction fee amount
        86 n 16 Credits, amount
        87 n 16 Credits, reversal amount
        88 n 16 Debits, amount
        89 n 16 Debits, reversal amount
        90 n 42 Original data elements
        91 an 1 File update code
        92 an 2 File security code
        93 n 5 Response indicator
        94 an 7 Service indicator
        95 an 42 Replacement amounts
        96 b 8 Message security code
        97 x+n 16 Amount, net settlement
        98 ans 25 Payee
        99 n ..11 Settlement institution identification code
        100 n ..11 Receiving institution identification code
        101 ans ..17 File name
        102 ans ..28 Account identification 1
        103 ans ..28 Account identification 2
        104 ans ...100 Transaction description
        105-111 ans ...999 Reserved, ISO
        112-119 ans ...999 Reserved, national
        120-127 ans ...999 Reserved, private
        128 b 8 Message authentication code
        """
}
