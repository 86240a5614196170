import MagneticStripe
import Testing

@Suite struct ReportDescriptorTests {
    /// MagTek, USB HID Swipe Reader Technical Reference Manual 99875191, "Report descriptor".
    static let magTek: [UInt8] =
        [0x06, 0x00, 0xFF, 0x09, 0x01, 0xA1, 0x01, 0x15, 0x00, 0x26, 0xFF, 0x00, 0x75, 0x08]
        + [0x09, 0x20, 0x09, 0x21, 0x09, 0x22, 0x09, 0x28, 0x09, 0x29, 0x09, 0x2A, 0x09, 0x38, 0x95, 0x07, 0x81, 0x02]
        + [0x09, 0x30, 0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x31, 0x95, 0x6E, 0x82, 0x02, 0x01]
        + [0x09, 0x32, 0x95, 0x6E, 0x82, 0x02, 0x01, 0x09, 0x20, 0x95, 0x18, 0xB2, 0x02, 0x01, 0xC0]

    private func bytes(_ descriptor: HIDReportDescriptor, _ page: UInt16, _ id: UInt16) -> Range<Int>? {
        descriptor.input(HIDUsage(page: page, id: id)).map { $0.bits.lowerBound / 8..<$0.bits.upperBound / 8 }
    }

    private func fault(_ bytes: [UInt8]) -> HIDDescriptorError? {
        do throws(HIDDescriptorError) {
            _ = try HIDReportDescriptor(parsing: bytes)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a vendor's report of 337 bytes has its fields at the documented offsets`() throws {
        let descriptor = try HIDReportDescriptor(parsing: Self.magTek)
        #expect(descriptor.applications == [HIDUsage(page: 0xFF00, id: 1)])
        #expect(!descriptor.hasReportIDs)
        #expect(descriptor.longestInputReport == 337)
        #expect(bytes(descriptor, 0xFF00, 0x20) == 0..<1)
        #expect(bytes(descriptor, 0xFF00, 0x22) == 2..<3)
        #expect(bytes(descriptor, 0xFF00, 0x28) == 3..<4)
        #expect(bytes(descriptor, 0xFF00, 0x2A) == 5..<6)
        #expect(bytes(descriptor, 0xFF00, 0x38) == 6..<7)
        #expect(bytes(descriptor, 0xFF00, 0x30) == 7..<117)
        #expect(bytes(descriptor, 0xFF00, 0x31) == 117..<227)
        #expect(bytes(descriptor, 0xFF00, 0x32) == 227..<337)
        #expect(bytes(descriptor, 0xFF00, 0x33) == nil)
        #expect(descriptor.fields.last?.kind == .feature)
        #expect(descriptor.fields.last?.elementCount == 24)
    }

    @Test func `a keyboard has eight modifiers, a constant byte, and six keys`() throws {
        let descriptor = try HIDReportDescriptor(
            parsing: [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x05, 0x07, 0x19, 0xE0, 0x29, 0xE7, 0x15, 0x00, 0x25, 0x01]
                + [0x75, 0x01, 0x95, 0x08, 0x81, 0x02, 0x95, 0x01, 0x75, 0x08, 0x81, 0x01]
                + [
                    0x95, 0x06, 0x75, 0x08, 0x15, 0x00, 0x25, 0x65, 0x05, 0x07, 0x19, 0x00, 0x29, 0x65, 0x81, 0x00,
                    0xC0,
                ])
        #expect(descriptor.applications == [HIDUsage(page: 1, id: 6)])
        let shift = try #require(descriptor.input(HIDUsage(page: 7, id: 0xE1)))
        #expect(shift.bits == 1..<2)
        let keys = try #require(descriptor.input(HIDUsage(page: 7, id: 4)))
        #expect(keys.bits == 16..<64)
        #expect(!keys.field.isVariable)
        #expect(keys.field.logicalMaximum == 0x65)
        #expect(descriptor.longestInputReport == 8)
    }

    @Test func `reports with IDs start after their ID`() throws {
        let descriptor = try HIDReportDescriptor(
            parsing: [0x05, 0x8E, 0x09, 0x01, 0xA1, 0x01, 0x75, 0x08, 0x85, 0x01, 0x09, 0x11, 0x95, 0x01, 0x81, 0x02]
                + [0x85, 0x02, 0x09, 0x12, 0x81, 0x02, 0x85, 0x01, 0x09, 0x21, 0x95, 0x02, 0x81, 0x02, 0xC0])
        #expect(descriptor.hasReportIDs)
        #expect(bytes(descriptor, 0x8E, 0x11) == 1..<2)
        #expect(bytes(descriptor, 0x8E, 0x12) == 1..<2)
        #expect(bytes(descriptor, 0x8E, 0x21) == 2..<4)
        #expect(descriptor.fields.map(\.reportID) == [1, 2, 1])
    }

    @Test func `usages are assigned to elements in order, and the last one to all further elements`() throws {
        let descriptor = try HIDReportDescriptor(
            parsing: [0x05, 0x09, 0x09, 0x01, 0xA1, 0x00, 0x75, 0x08, 0x95, 0x05]
                + [0x09, 0x10, 0x19, 0x20, 0x29, 0x21, 0x0B, 0x07, 0x00, 0x34, 0x12, 0x81, 0x02, 0xC0])
        let field = try #require(descriptor.fields.first)
        #expect((0..<5).map { field.usage(of: $0)?.id } == [0x10, 0x20, 0x21, 7, 7])
        #expect(field.usage(of: 3)?.page == 0x1234)
        #expect(field.bits(of: HIDUsage(page: 9, id: 0x21)) == 16..<24)
        #expect(field.bits(of: HIDUsage(page: 0x1234, id: 7)) == 24..<40)
    }

    @Test func `a short usage gets its page from the last one declared before the main item`() throws {
        // The page stands behind the usages, of the collection and of the fields; a long usage keeps its own.
        let descriptor = try HIDReportDescriptor(
            parsing: [0x09, 0x01, 0x05, 0x8E, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x02, 0x05, 0x01]
                + [0x09, 0x21, 0x0B, 0x22, 0x00, 0x34, 0x12, 0x05, 0x8E, 0x81, 0x02]
                + [0x05, 0x01, 0x19, 0x23, 0x29, 0x24, 0x05, 0x8E, 0x81, 0x02, 0xC0])
        #expect(descriptor.applications == [HIDUsage(page: 0x8E, id: 1)])
        #expect(bytes(descriptor, 0x8E, 0x21) == 0..<1)
        #expect(bytes(descriptor, 0x1234, 0x22) == 1..<2)
        #expect(bytes(descriptor, 0x8E, 0x24) == 3..<4)
        #expect(bytes(descriptor, 0x01, 0x21) == nil)
    }

    @Test func `a range may start with its end`() throws {
        let descriptor = try HIDReportDescriptor(
            parsing: [0x05, 0x07, 0x09, 0x06, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x03, 0x29, 0x12, 0x19, 0x10]
                + [0x81, 0x02, 0x19, 0x20, 0x29, 0x10, 0x81, 0x02, 0xC0])
        #expect(bytes(descriptor, 0x07, 0x11) == 1..<2)
        // Backwards it is none.
        #expect(descriptor.fields.last?.usage(of: 0) == nil)
    }

    @Test func `pushed values are restored, and of alternatives the first counts`() throws {
        let descriptor = try HIDReportDescriptor(
            parsing: [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0x75, 0x08, 0x95, 0x01, 0xA4, 0x05, 0x07, 0x75, 0x10]
                + [0x09, 0x01, 0x81, 0x02, 0xB4, 0xA9, 0x01, 0x09, 0x31, 0x09, 0x32, 0xA9, 0x00, 0x81, 0x02, 0xC0])
        #expect(descriptor.fields.map(\.elementSize) == [16, 8])
        #expect(descriptor.fields.map { $0.usage(of: 0)?.id } == [1, 0x31])
        #expect(descriptor.fields.map { $0.usage(of: 0)?.page } == [7, 1])
    }

    @Test func `signed limits keep their sign in every length, and long items are skipped`() throws {
        let descriptor = try HIDReportDescriptor(
            parsing: [0x05, 0x01, 0x09, 0x06, 0xA1, 0x01, 0xFE, 0x02, 0x10, 0xAA, 0xBB, 0x75, 0x08, 0x95, 0x01]
                + [0x15, 0x81, 0x26, 0xFF, 0x7F, 0x81, 0x02, 0x16, 0x00, 0x80, 0x81, 0x02]
                + [0x17, 0x00, 0x00, 0x00, 0x80, 0x14, 0x81, 0x02, 0xC0])
        #expect(descriptor.fields.map(\.logicalMinimum) == [-127, -32_768, 0])
        #expect(descriptor.fields.first?.logicalMaximum == 32_767)
    }

    @Test(arguments: [
        ([0x05], HIDDescriptorError(.truncatedItem, at: 0)),
        ([0x05, 0x01, 0x27, 0, 0], HIDDescriptorError(.truncatedItem, at: 2)),
        ([0xFE, 0x05, 0x10], HIDDescriptorError(.truncatedItem, at: 0)),
        ([0xFE], HIDDescriptorError(.truncatedItem, at: 0)),
        ([0xC0], HIDDescriptorError(.unbalancedCollection, at: 0)),
        ([0xA1, 0x01], HIDDescriptorError(.unbalancedCollection, at: 2)),
        ([0xB4], HIDDescriptorError(.unbalancedStack, at: 0)),
        ([0x75, 0x08, 0x95, 0x01, 0x81, 0x02], HIDDescriptorError(.noCollection, at: 4)),
        ([0x85, 0x00], HIDDescriptorError(.reportNumber, at: 0)),
        ([0x86, 0x00, 0x01], HIDDescriptorError(.reportNumber, at: 0)),
        ([0xA1, 0x01, 0x76, 0xFF, 0xFF, 0x96, 0xFF, 0xFF, 0x81, 0x02], HIDDescriptorError(.reportTooLong, at: 8)),
    ])
    func `an invalid descriptor is reported with problem and position`(bytes: [UInt8], expected: HIDDescriptorError) {
        #expect(fault(bytes) == expected)
    }

    @Test func `nesting, pushing, and lengths are limited`() {
        #expect(fault(Array(repeating: [0xA1, 0x00], count: 33).flatMap { $0 })?.fault == .collectionsTooDeep)
        #expect(fault([UInt8](repeating: 0xA4, count: 33))?.fault == .unbalancedStack)
        #expect(fault([UInt8](repeating: 0x04, count: 70_000))?.fault == .tooLong(70_000))
        let most: [UInt8] = [0xA1, 0x01, 0x75, 0x08, 0x96, 0xFF, 0xFF, 0x81, 0x02]
        #expect(fault(most + [0xC0]) == nil)
        #expect(fault(most + [0x81, 0x02, 0xC0])?.fault == .reportTooLong)
        // Elements without bits take no room, however many there are.
        #expect(fault([0xA1, 0x01, 0x75, 0x00, 0x97, 0xFF, 0xFF, 0xFF, 0xFF, 0x81, 0x02, 0xC0]) == nil)
    }

    @Test func `random bytes are parsed or rejected, and never trap`() {
        var generator = SystemRandomNumberGenerator()
        var read = 0
        for round in 0..<6000 {
            var bytes = (0..<Int.random(in: 0...80, using: &generator)).map { _ in
                UInt8.random(in: 0...255, using: &generator)
            }
            // Half of them are a good one with some bytes changed.
            if round % 2 == 0 {
                bytes = Self.magTek
                for _ in 0..<Int.random(in: 1...4, using: &generator) {
                    bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(
                        in: 0...255, using: &generator)
                }
            }
            guard let descriptor = try? HIDReportDescriptor(parsing: bytes) else { continue }
            read += 1
            #expect(descriptor.longestInputReport <= 0xFFFF)
            for field in descriptor.fields {
                for element in [0, 1, field.elementCount - 1] where element >= 0 {
                    guard let usage = field.usage(of: element), let bits = field.bits(of: usage) else { continue }
                    #expect(bits.lowerBound >= field.bitOffset)
                    #expect(bits.upperBound <= field.bitOffset + field.elementSize * field.elementCount)
                }
            }
        }
        #expect(read > 100)
    }
}
