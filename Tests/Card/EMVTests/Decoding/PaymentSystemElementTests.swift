import SmartCard
import Testing

@testable import EMV

/// The tags 9F50 to 9F7F, whose meaning depends on the payment system.
struct PaymentSystemElementTests {
    private func tree(_ hex: String, as kind: String? = nil, brand: CardBrand? = nil) throws -> String {
        try #require(EMVDecoder.decode(bytes(hex), as: kind.flatMap(DecodingSubject.init(name:)), brand: brand)).text
    }

    @Test(
        arguments: [
            (
                CardBrand.unionPay, "9F61", "303132333435",
                "number of the identity document (ans, 6 bytes, card): not shown"
            ),
            (.unionPay, "9F62", "02", "type of the identity document (b, 1 byte, card)  02 = passport"),
            (.mastercard, "9F61", "1234", "CVC3, track 2 (b, 2 bytes, card)  1234"),
            (.mastercard, "9F62", "000000000E00", "PCVC3, track 1"),
            (.americanExpress, "9F71", "010002", "mobile CVM results (b, 3 bytes, card)  010002"),
            (.discover, "9F71", "0C00", "card processing requirements (b, 2 bytes, card)  0C00"),
            (.mastercard, "9F71", "0C00", "protected data envelope 2 (b, 2 bytes, card)  0C00"),
            (.americanExpress, "9F5B", "31323334353637383930313233", "product membership number (ans, 13 bytes, card)"),
            (.americanExpress, "9F5B", "2031323334", "product membership number (ans, 5 bytes, card)"),
            (.visa, "9F5B", "2031323334", "issuer script results (b, 5 bytes, terminal)"),
            (.mastercard, "9F5B", "9F3704", "DSDOL"),
            (.visa, "9F5D", "000000001000", "available offline spending amount (n, 6 bytes, card)"),
            (.mastercard, "9F5D", "010203", "application capabilities information (b, 3 bytes, card)"),
            (.visa, "9F6B", "000000001000", "card CVM limit (n, 6 bytes, card)"),
            (.jcb, "9F53", "010203", "terminal interchange profile (b, 3 bytes, terminal)"),
            (.visa, "9F60", "1234", "data of the payment system"),
        ] as [(CardBrand, String, String, String)])
    func `a scheme names its tags`(brand: CardBrand, tag: String, value: String, expected: String) throws {
        let text = try tree(value, as: tag, brand: brand)
        #expect(text.contains(expected), "\(text)")
        #expect(!text.contains("!"), "\(text)")
    }

    @Test func `without a scheme the name lists the uses, and nothing is wrong`() throws {
        for (tag, value) in [
            ("9F5D", "010203"), ("9F5D", "000000001000"), ("9F53", "010203"), ("9F71", "010002"), ("9F62", "01"),
            ("9F5B", "31323334353637383930313233"),
        ] {
            #expect(try !tree(value, as: tag).contains("!"))
        }
        #expect(try tree("010002", as: "9F71").contains("mobile CVM results (American Express)"))
        #expect(try tree("31323334353637383930313233", as: "9F5B").contains("data of the payment system"))
        // The number of an identity document.
        #expect(try !tree("313233343536", as: "9F61").contains("3132"))
    }

    @Test func `the AID in the data chooses the scheme`() throws {
        #expect(try tree("6F0E 8406A00000002501 A5049F7101 02").contains("mobile CVM results"))
        // A command SELECT and its response.
        let text = try tree("00A4040008A00000033301010100 6F07A505BF0C029F61 9000")
        #expect(!text.contains("CVC3"))
        #expect(try tree("00A4040006A0000000250100 6F08A5069F7103010002 9000").contains("mobile CVM results"))
    }

    @Test func `every definition can be decoded at its lengths`() throws {
        for (brand, table) in PaymentSystemElements.tables {
            for element in table.values {
                #expect(DataElement.belongsToPaymentSystem(element.tag))
                for count in [element.lengths.lowerBound, element.lengths.upperBound] where count > 0 {
                    let value = [UInt8](repeating: 0x01, count: count)
                    let decoding = EMVDecoder.decode(value, as: .value(of: element.tag), brand: brand)
                    #expect(decoding?.values.first?.source == element.source || element.tag == 0x9F5B)
                }
            }
        }
    }
}
