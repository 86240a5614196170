import Settings
import Testing

private enum Color: String, CaseIterable { case red, green, blue }

private func value(_ text: String) throws -> SettingsNode {
    try SettingsDocument(text: "value: \(text)", file: "x.yaml").root.required("value")
}

private func problem<Value>(_ body: () throws -> Value) -> SettingsProblem? {
    do {
        _ = try body()
        return nil
    } catch {
        return (error as? SettingsError)?.problem
    }
}

struct SettingsNodeTests {
    @Test func `numbers are decimal and stay in their range`() throws {
        #expect(try value("0010").int() == 10)
        #expect(try value("-5").int() == -5)
        #expect(try value("9223372036854775807").int() == Int.max)
        #expect(problem { try value("1.5").int() } == .notANumber(value: "1.5"))
        #expect(problem { try value("0x10").int() } == .notANumber(value: "0x10"))
        #expect(problem { try value("1_000").int() } == .notANumber(value: "1_000"))
        #expect(problem { try value("\"-\"").int() } == .notANumber(value: "-"))
        #expect(problem { try value("7").int(in: 1...5) } == .outOfRange(value: "7", minimum: 1, maximum: 5))
        #expect(
            problem { try value("99999999999999999999").int(in: 1...5) }
                == .outOfRange(value: "99999999999999999999", minimum: 1, maximum: 5))
    }

    @Test func `only true and false are booleans`() throws {
        #expect(try value("true").bool())
        #expect(try !value("false").bool())
        for text in ["yes", "on", "True", "1", "\"true\""] {
            #expect(throws: SettingsError.self) { try value(text).bool() }
        }
    }

    @Test func `hexadecimal digits may be grouped and must be whole bytes`() throws {
        #expect(try value("9F02 06 9f03").hex(length: 5) == [0x9F, 0x02, 0x06, 0x9F, 0x03])
        #expect(try value("0010").hex(length: 2) == [0x00, 0x10])
        #expect(try value("\"\"").hex(length: 0...4) == [])
        #expect(problem { try value("ABC").hex(length: 1...4) } == .notHexadecimal(value: "ABC"))
        #expect(problem { try value("GG").hex(length: 1...4) } == .notHexadecimal(value: "GG"))
        #expect(problem { try value("１２").hex(length: 1...4) } == .notHexadecimal(value: "１２"))
        #expect(
            problem { try value("AABB").hex(length: 3) }
                == .wrongLength(found: 2, minimum: 3, maximum: 3, unit: .bytes))
    }

    @Test func `a word that is not in the list names the list or the nearest word`() throws {
        #expect(try value("green").choice(Color.self) == .green)
        #expect(try value("two").choice(of: ["one": 1, "two": 2]) == 2)
        do {
            _ = try value("gren").choice(Color.self)
        } catch let error as SettingsError {
            #expect(error.description == "x.yaml:1: value: unknown value 'gren'; did you mean 'green'?")
        }
        do {
            _ = try value("octarine").choice(Color.self)
        } catch let error as SettingsError {
            #expect(
                error.description == "x.yaml:1: value: unknown value 'octarine'; use one of red, green, blue")
        }
    }

    @Test func `shapes are not mistaken for each other`() throws {
        #expect(problem { try value("[a]").text() } == .wrongKind(expected: .text, found: .list))
        #expect(problem { try value("{a: b}").list() } == .wrongKind(expected: .list, found: .mapping))
        #expect(problem { try value("a").entries() } == .wrongKind(expected: .mapping, found: .text))
        #expect(
            problem { try value("[a, b]").list(count: 3...4) }
                == .wrongLength(found: 2, minimum: 3, maximum: 4, unit: .entries))
        #expect(
            problem { try value("abc").text(length: 1...2) }
                == .wrongLength(found: 3, minimum: 1, maximum: 2, unit: .characters))
    }

    @Test func `a concealed value is never quoted, nor is any value by printing a node`() throws {
        let secret = try value("12a4").concealed
        do {
            _ = try secret.int()
            Issue.record("12a4 was taken for a number")
        } catch {
            #expect("\(error)" == "x.yaml:1: value: the value is not a number")
        }
        #expect(!"\(secret)".contains("12a4"))
        #expect(!String(reflecting: try value("4111")).contains("4111"))
        var dumped = ""
        dump(try SettingsDocument(text: "pan: 4111", file: "x").root, to: &dumped)
        #expect(!dumped.contains("4111"))
    }

    @Test func `a long value is cut short and stays on one line`() throws {
        do {
            _ = try value("\"a\\nb" + String(repeating: "x", count: 100) + "\"").int()
        } catch {
            #expect("\(error)" == "x.yaml:1: value: 'a?b" + String(repeating: "x", count: 37) + "…' is not a number")
        }
    }

    @Test func `the reader of a value adds errors of its own`() throws {
        let error = try value("abc").error("no such currency", fix: "use ISO 4217 codes")
        #expect(error.description == "x.yaml:1: value: no such currency; use ISO 4217 codes")
    }

    @Test func `the suggested name explains a typing error`() {
        #expect(NearestName.to("visa-credt", among: ["mastercard-credit", "visa-credit"]) == "visa-credit")
        #expect(NearestName.to("VISA-CREDIT", among: ["visa-credit"]) == "visa-credit")
        #expect(NearestName.to("amex", among: ["visa-credit", "mute"]) == nil)
        #expect(NearestName.to("", among: ["a"]) == "a")
        #expect(NearestName.to(String(repeating: "a", count: 10_000), among: ["a"]) == nil)
    }
}
