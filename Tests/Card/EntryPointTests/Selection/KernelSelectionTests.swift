import EMV
import EntryPoint
import SmartCard
import Testing

/// Cases 2ED.009 to 2ED.012 of the foreign test list: the kernel that a directory entry asks for, Book B §3.3.2.5.
struct KernelSelectionTests {
    /// Reads a card with one entry at a reader with one combination, and returns the kernel that runs; nil if none.
    private func kernel(_ aid: String, requested: String?, reader kernel: String) throws -> KernelIdentifier? {
        let identifier = try #require(KernelIdentifier(bytes(kernel)))
        let card = TestCard(TestCard.entry(aid, kernel: requested), names: aid)
        var reader = try TestReader([try TestReader.combination(aid, identifier)], card: card)
        let actions = try reader.pay()
        let ran = reader.kernels.values.first
        if ran == nil {
            #expect(actions.messages.last == UserInterfaceRequest(.useAnotherCard, .readyToRead))
            #expect(actions.outcomes.map(\.outcome.status) == [.endApplication])
            #expect(reader.selected == ["PPSE"])
        }
        return ran
    }

    static let aids: [(String, String, String, String)] = [
        ("A0000000031010", "03", "00", "10"), ("A0000000041010", "02", "02", "12"),
        ("A0000000651010", "05", "04", "14"), ("A00000002501", "04", "06", "16"),
        ("A0000001523010", "06", "18", "20"), ("A000000333010101", "07", "22", "24"),
        ("A0000003241010", "06", "26", "28"),
    ]

    @Test(arguments: KernelSelectionTests.aids)
    func `2ED.009: without an identifier, or with an empty one, the payment system's own kernel is taken`(
        aid: String, kernel: String, absent: String, empty: String
    ) throws {
        let own = KernelIdentifier(bytes(kernel))
        #expect(try self.kernel(aid, requested: nil, reader: kernel) == own, "2ED.009.\(absent)")
        #expect(try self.kernel(aid, requested: "", reader: kernel) == own, "2ED.009.\(empty)")
    }

    @Test(arguments: KernelSelectionTests.aids)
    func `no other kernel is taken for it, not even Kernel 8`(
        aid: String, kernel: String, absent: String, empty: String
    ) throws {
        for other in ["08", "21", "810978"] {
            #expect(try self.kernel(aid, requested: nil, reader: other) == nil)
            #expect(try self.kernel(aid, requested: "", reader: other) == nil)
        }
    }

    @Test func `an application of an unknown payment system takes every kernel`() throws {
        for kernel in ["02", "08", "810978"] {
            #expect(try self.kernel("A0000009991010", requested: nil, reader: kernel) != nil)
        }
        // libpay has this RID for Discover. It is not Discover's.
        #expect(try kernel("A0000000151010", requested: nil, reader: "02") != nil)
    }

    @Test(arguments: ["80", "8109", "BF", "C1", "C111", "FF22"])
    func `2ED.010.00: a domestic identifier of fewer than three bytes is skipped`(requested: String) throws {
        #expect(try kernel("A0000009991010", requested: requested, reader: "810978") == nil)
    }

    @Test func `2ED.011.00: the identifier of another kernel is skipped`() throws {
        #expect(try kernel(TestCard.mastercard, requested: "03", reader: "02") == nil)
        #expect(try kernel(TestCard.mastercard, requested: "810840", reader: "810978") == nil)
    }

    @Test(arguments: [
        ("00", "A0000000031010"), ("02", "A0000000041010"), ("04", "A0000000651010"), ("06", "A00000002501"),
        ("11", "A0000001523010"), ("13", "A000000333010101"), ("15", "A0000003241010"),
    ])
    func `2ED.012: the identifier 00 takes every kernel of the reader`(suffix: String, aid: String) throws {
        for other in ["02", "04", "08"] {
            #expect(try kernel(aid, requested: "00", reader: other) == KernelIdentifier(bytes(other)))
        }
    }

    @Test(arguments: ["21", "810978", "C11111"])
    func `2ED.012.08: the identifier 00 takes domestic kernels, too`(other: String) throws {
        #expect(try kernel("A0000009991010", requested: "00", reader: other) == KernelIdentifier(bytes(other)))
    }

    @Test(arguments: [
        ("21", "21"), ("2102030405060708", "21"), ("23", "23"), ("240000", "24"), ("810978", "810978"),
        ("BF0840", "BF0840"), ("C11111", "C11111"), ("FF2222", "FF2222"), ("8109780102030405", "810978"),
        ("FF22220102", "FF2222"), ("08", "08"), ("080000", "08"),
    ])
    func `2ED.012.10: one byte, or the first three of a domestic identifier, count`(
        requested: String, kernel: String
    ) throws {
        #expect(try self.kernel("A0000009991010", requested: requested, reader: kernel)?.description == kernel)
    }

    @Test func `an identifier of more than eight bytes is skipped`() throws {
        #expect(try kernel("A0000009991010", requested: "210203040506070809", reader: "21") == nil)
    }

    @Test func `a domestic identifier without a short one counts in full`() throws {
        #expect(try kernel("A0000009991010", requested: "80097801", reader: "80097801") != nil)
        #expect(try kernel("A0000009991010", requested: "80097802", reader: "80097801") == nil)
    }

    @Test func `the identifier of a reader's kernel has one form`() {
        for valid in ["01", "08", "2A", "7F", "810978", "C11111", "800978", "8009780102030405"] {
            #expect(KernelIdentifier(bytes(valid))?.description == valid)
        }
        for invalid in ["", "00", "0203", "81", "8109", "81097801", "80", "800978010203040506"] {
            #expect(KernelIdentifier(bytes(invalid)) == nil, "\(invalid)")
        }
    }

    @Test func `the kernel gets its identifier, and learns whether the reader has Kernel 8`() throws {
        let aid = TestCard.mastercard
        let card = TestCard(TestCard.entry(aid, kernel: "08"), names: aid)
        var reader = try TestReader(
            [try TestReader.combination(aid), try TestReader.combination(aid, .kernel8)], card: card)
        try reader.pay()
        #expect(reader.activations.values.last?.data[0x96]?.hexText == "080000C000000000")
        #expect(reader.activations.values.last?.data[0x9F2A] == [0x08])
        var refused = TestLimits.standard
        refused.transaction = 5
        reader = try TestReader(
            [try TestReader.combination(aid), try TestReader.combination(aid, .kernel8, limits: refused)])
        try reader.pay()
        #expect(reader.activations.values.last?.data[0x96]?.hexText == "0200008000000000")
        reader = try TestReader()
        try reader.pay()
        #expect(reader.activations.values.last?.data[0x96]?.hexText == "0200000000000000")
    }
}
