import Payments
import Terminal
import Text

extension StripeRoute {
    private static let helper = "/v1/test_helpers/terminal/readers/:id"

    static let inputs: [StripeRoute] = [
        StripeRoute("POST", "/v1/terminal/readers/:id/collect_inputs", ["inputs", "metadata"]) {
            terminal, call, id throws(StripeError) in
            _ = try terminal.reader(id)
            guard terminal.setup.reader == nil else { throw .noInputs }
            let list = try call.parameters.maps("inputs") ?? []
            guard !list.isEmpty else { throw .missing("inputs") }
            guard list.count <= mostInputs else {
                throw .invalid("inputs", "A reader asks at most \(mostInputs) questions in one action")
            }
            var inputs: [StripeInput] = []
            for input in list { inputs.append(try StripeInput(input)) }
            let form = StripeInputForm(inputs: inputs, metadata: try call.parameters.metadata())
            guard try terminal.prepare(id) else { return nil }
            let key = try terminal.start(
                StripeTask(reader: id, purpose: .input), .input(inputs[0].question))
            return try terminal.show(
                StripeAction(type: "collect_inputs", details: form.details, key: key, form: form), at: id)
        },
        StripeRoute("POST", helper + "/succeed_input_collection", ["skip_non_required_inputs"]) {
            terminal, call, id throws(StripeError) in
            let skipped = try call.parameters.word("skip_non_required_inputs", ["all", "none"])
            return try terminal.answer(&call, id) { _ throws(StripeError) in
                .samples(skipsOptional: skipped == "all")
            }
        },
        StripeRoute("POST", helper + "/timeout_input_collection") { terminal, call, id throws(StripeError) in
            try terminal.answer(&call, id) { _ throws(StripeError) in .end(.timedOut) }
        },
        StripeRoute("POST", control + "inputs", ["reader", "answers", "cancel"]) {
            terminal, call, _ throws(StripeError) in
            let parameters = call.parameters
            return try terminal.answer(&call, try parameters.required("reader")) { form throws(StripeError) in
                if try parameters.flag("cancel") == true { return .end(.canceled) }
                return .answers(try answers(parameters, form))
            }
        },
    ]

    private static let mostInputs = 5

    /// The answers of a call, one for each question.
    private static func answers(
        _ parameters: StripeParameters, _ form: StripeInputForm
    ) throws(StripeError) -> [String?] {
        let texts = try parameters.texts("answers") ?? []
        guard texts.count == form.inputs.count else {
            throw .invalid("answers", "Give one answer for each of the \(form.inputs.count) questions")
        }
        var answers: [String?] = []
        for (index, (input, text)) in zip(form.inputs, texts).enumerated() {
            guard text.isEmpty ? !input.isRequired : input.takes(text) else {
                throw .invalid(
                    "answers[\(index)]", "This is no answer to a question of the type \(input.kind.rawValue)")
            }
            answers.append(text.isEmpty ? nil : text)
        }
        return answers
    }
}

extension StripeInput {
    /// Reads a question of a call.
    fileprivate init(_ parameters: StripeParameters) throws(StripeError) {
        try parameters.check(only: ["type", "custom_text", "required", "selection", "toggles"])
        let kinds = Kind.allCases.map(\.rawValue)
        guard let word = try parameters.word("type", kinds), let kind = Kind(rawValue: word) else {
            throw .missing(parameters.path("type"))
        }
        guard let text = try parameters.map("custom_text") else {
            throw .missing(parameters.path("custom_text"))
        }
        try text.check(only: ["title", "description", "submit_button", "skip_button"])
        let words = Words(
            title: try text.required("title", atMost: 40), description: try text.text("description", atMost: 500),
            submit: try text.text("submit_button", atMost: 30), skip: try text.text("skip_button", atMost: 14))
        let selection = try parameters.map("selection")
        guard (selection != nil) == (kind == .selection) else {
            if kind == .selection { throw .missing(parameters.path("selection")) }
            throw .unknown(parameter: parameters.path("selection"))
        }
        self.init(
            kind: kind, words: words, isRequired: try parameters.flag("required") ?? false,
            choices: try selection.map { selection throws(StripeError) in try Choice.list(selection) } ?? [],
            toggles: try Toggle.list(parameters.maps("toggles") ?? []))
    }
}

extension StripeInput.Choice {
    fileprivate static func list(_ selection: StripeParameters) throws(StripeError) -> [StripeInput.Choice] {
        try selection.check(only: ["choices"])
        var choices: [StripeInput.Choice] = []
        for choice in try selection.maps("choices") ?? [] {
            try choice.check(only: ["id", "text", "style"])
            let id = try choice.required("id", atMost: 50)
            guard !choices.contains(where: { $0.id == id }) else {
                throw .invalid(choice.path("id"), "Each choice has an ID of its own")
            }
            choices.append(
                StripeInput.Choice(
                    id: id, text: try choice.required("text", atMost: 30),
                    style: try choice.word("style", ["primary", "secondary"])))
        }
        guard !choices.isEmpty else { throw .missing(selection.path("choices")) }
        return choices
    }
}

extension StripeInput.Toggle {
    fileprivate static func list(_ maps: [StripeParameters]) throws(StripeError) -> [StripeInput.Toggle] {
        var toggles: [StripeInput.Toggle] = []
        for toggle in maps {
            try toggle.check(only: ["title", "description", "default_value"])
            let (title, description) = (
                try toggle.text("title", atMost: 50), try toggle.text("description", atMost: 50)
            )
            guard title != nil || description != nil else { throw .missing(toggle.path("title")) }
            toggles.append(
                StripeInput.Toggle(
                    title: title, description: description,
                    defaultValue: try toggle.word("default_value", ["enabled", "disabled"])))
        }
        return toggles
    }
}

extension StripeTerminal {
    /// Lets a simulated customer answer the questions of a reader, and waits until that is over.
    fileprivate mutating func answer(
        _ call: inout StripeCall, _ id: String, _ plan: (StripeInputForm) throws(StripeError) -> StripeInputForm.Plan
    ) throws(StripeError) -> JSONValue? {
        let reader = try self.reader(id)
        let running = reader.action.flatMap { $0.state == .inProgress ? $0 : nil }
        if call.started != nil {
            // The call waits as long as its plan is carried out.
            return running?.form?.plan == nil ? reader.json : nil
        }
        guard let running, let form = running.form, form.plan == nil else {
            throw StripeError(code: nil, "The reader does not ask the customer: call collect_inputs first.")
        }
        let planned = try plan(form)
        books.readers[id]?.action?.form?.plan = planned
        call.started = running.key
        answerCurrent(at: id)
        return nil
    }

    /// Answers the current question of a reader, where a simulated customer is to answer.
    private mutating func answerCurrent(at reader: String) {
        guard let action = books.readers[reader]?.action, let answer = action.form?.answer else { return }
        work(.answer(answer, action.key, reader: reader))
    }

    /// Ends a question of a reader's form, and asks the next one.
    mutating func endInput(_ reader: String, _ key: IdempotencyKey, _ outcome: TerminalOutcome) {
        guard var action = books.readers[reader]?.action, action.key == key, var form = action.form else { return }
        switch outcome {
        case .done(let report):
            form.end(report.input)
            action.details = form.details
            guard let next = form.current else {
                action.form = form
                books.readers[reader]?.action = action
                endAction(reader, key) { $0.state = .succeeded }
                return
            }
            do throws(StripeError) {
                action.key = try start(StripeTask(reader: reader, purpose: .input), .input(next.question))
            } catch {
                fail(reader, key, "processing_error", error.message)
                return
            }
            action.form = form
            books.readers[reader]?.action = action
            answerCurrent(at: reader)
        case .canceled(.byTill): books.readers[reader]?.action = nil
        case .canceled(.byCardholder): fail(reader, key, "customer_canceled", "The customer canceled the questions.")
        case .canceled(.timedOut):
            fail(reader, key, "collect_inputs_timed_out", "The customer did not answer in time.")
        case .approved, .declined, .failed:
            fail(reader, key, "processing_error", "The reader could not ask the customer.")
        }
    }
}
