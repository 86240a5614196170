import Testing
import Text

@testable import StripeTerminal

/// Nested forms, as official libraries and curl write them.
struct FormTests {
    private func parameters(_ form: String) throws -> StripeParameters { try StripeParameters(form) }

    @Test func `nested fields are read at every depth`() throws {
        let parameters = try parameters("process_config[tipping][amount_eligible]=1500&payment_intent=pi_1")
        let tipping = try #require(try parameters.map("process_config")?.map("tipping"))
        #expect(try tipping.integer("amount_eligible", in: 0...9999) == 1500)
        #expect(try parameters.required("payment_intent") == "pi_1")
    }

    @Test(
        arguments: [
            "expand[0]=a&expand[1]=b", "expand[]=a&expand[]=b", "expand%5B0%5D=a&expand%5B1%5D=b",
            "expand[1]=b&expand[0]=a",
        ])
    func `lists with and without numbers are the same`(form: String) throws {
        #expect(try parameters(form).texts("expand") == ["a", "b"])
    }

    @Test(
        arguments: [
            "items[0][amount]=5&items[0][name]=x&items[1][amount]=7&items[1][name]=y",
            "items[][amount]=5&items[][name]=x&items[][amount]=7&items[][name]=y",
        ])
    func `lists of maps begin a new element when a field comes again`(form: String) throws {
        let items = try #require(try parameters(form).maps("items"))
        #expect(try items.map { try $0.integer("amount", in: 0...9) } == [5, 7])
        #expect(try items.map { try $0.text("name") } == ["x", "y"])
    }

    @Test func `blanks, escapes, and UTF-8 are decoded in names and values`() throws {
        let metadata = try parameters("metadata[order+id]=caf%C3%A9+%2B1&metadata[7]=seven").metadata()
        #expect(metadata == [.init("order id", "café +1"), .init("7", "seven")])
    }

    @Test func `an empty value unsets a key of the metadata, and an empty map all`() throws {
        let old: [JSONValue.Member] = [.init("a", "1"), .init("b", "2")]
        #expect(try parameters("metadata[a]=").metadata(over: old) == [.init("b", "2")])
        #expect(try parameters("metadata=").metadata(over: old) == [])
        #expect(try parameters("x=1").metadata(over: old) == old)
    }

    @Test(arguments: ["a=1&a[b]=2", "a[b]=1&a=2", "a[b", "[a]=1", "a[b]c=1", "a[[b]]=1"])
    func `contradictions and broken brackets are errors`(form: String) {
        #expect(throws: StripeError.self) { try parameters(form) }
    }

    @Test func `depth and number of fields are limited`() throws {
        #expect(throws: StripeError.self) { try parameters("a" + String(repeating: "[b]", count: 8) + "=1") }
        _ = try parameters("a" + String(repeating: "[b]", count: 7) + "=1")
        let field = "a[]=1&"
        #expect(throws: StripeError.self) { try parameters(String(repeating: field, count: 1001)) }
        #expect(try parameters(String(repeating: field, count: 1000)).texts("a")?.count == 1000)
    }

    @Test(arguments: [("amount=", "parameter_invalid_empty"), ("amount=12.5", "parameter_invalid_integer")])
    func `wrong numbers name the parameter`(form: String, code: String) throws {
        let error = try #require(throws: StripeError.self) { try parameters(form).integer("amount", in: 0...99) }
        #expect((error.code, error.parameter) == (code, "amount"))
        #expect((error.status, error.isStored) == (400, false))
    }

    @Test func `a nested parameter that is not known is named with its place`() throws {
        let cart = try #require(try parameters("cart[colour]=red").map("cart"))
        let error = try #require(throws: StripeError.self) { try cart.check(only: ["currency"]) }
        #expect((error.code, error.parameter) == ("parameter_unknown", "cart[colour]"))
    }
}
