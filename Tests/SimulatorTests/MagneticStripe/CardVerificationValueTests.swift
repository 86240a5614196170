import CardSecrets
import Testing

@testable import Simulator

@Suite struct CardVerificationValueTests {
    private func value(_ pan: String, _ expiry: [UInt8], _ code: UInt16, _ key: [UInt8]) throws -> [UInt8] {
        try CardVerificationValue.compute(
            pan.utf8.map { $0 - 0x30 }, expiry: expiry, serviceCode: code, key: SensitiveBytes(key))
    }

    private let key: [UInt8] =
        [0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0xCD, 0xEF] + [0xFE, 0xDC, 0xBA, 0x98, 0x76, 0x54, 0x32, 0x10]

    @Test func `the value of the example in security modules' manuals`() throws {
        #expect(try value("4123456789012345", [0x87, 0x01], 101, key) == [5, 6, 1])
    }

    @Test func `every part of a stripe goes into it`() throws {
        let one = try value("4123456789012345", [0x87, 0x01], 101, key)
        #expect(try value("4123456789012346", [0x87, 0x01], 101, key) != one)
        #expect(try value("4123456789012345", [0x87, 0x02], 101, key) != one)
        #expect(try value("4123456789012345", [0x87, 0x01], 102, key) != one)
        #expect(try value("4123456789012345678", [0x87, 0x01], 101, key).count == 3)
    }
}
