import JSON
import Testing

@testable import Objects

@Suite("The objects that a body names")
struct BodyReferenceTests {
  @Test(
    "Each member of part F is found, with the kind of its object and the root's member",
    arguments: [
      (#"{"previous_response_id":"resp_1"}"#, ["response resp_1 @previous_response_id"]),
      (#"{"conversation":"conv_1"}"#, ["conversation conv_1 @conversation"]),
      (#"{"conversation":{"id":"conv_1"}}"#, ["conversation conv_1 @conversation"]),
      (
        #"{"prompt":{"id":"pmpt_1","variables":{"a":"file-9","#
          + #""b":{"type":"input_file","file_id":"file-1"}}}}"#,
        ["prompt pmpt_1 @prompt", "file file-1 @prompt"]
      ),
      (
        #"{"input":[{"role":"user","content":[{"type":"input_file","file_id":"file-1"},"#
          + #"{"type":"input_image","file_id":"file-2"}]}]}"#,
        ["file file-1 @input", "file file-2 @input"]
      ),
      (
        #"{"input":[{"type":"computer_call_output","call_id":"c","output":{"file_id":"file-1"}},"#
          + #"{"type":"function_call_output","output":[{"type":"input_file","#
          + #""file_id":"file-2"}]}]}"#,
        ["file file-1 @input", "file file-2 @input"]
      ),
      (
        #"{"input":[{"type":"code_interpreter_call","id":"ci_1","code":"1","#
          + #""container_id":"cntr_1"},{"type":"shell_call","id":"sh_1","action":{"a":1},"#
          + #""environment":{"type":"container_reference","container_id":"cntr_2"}}]}"#,
        ["container cntr_1 @input", "container cntr_2 @input"]
      ),
      (
        #"{"tools":[{"type":"file_search","vector_store_ids":["vs_1","odd"]}]}"#,
        ["vector_store vs_1 @tools", "vector_store odd @tools"]
      ),
      (
        #"{"tools":[{"type":"code_interpreter","container":"cntr_1"},{"type":"code_interpreter","#
          + #""container":{"type":"auto","memory_limit":"4g","file_ids":["file-1"]}}]}"#,
        ["container cntr_1 @tools", "file file-1 @tools"]
      ),
      (
        #"{"tools":[{"type":"shell","environment":{"type":"container_auto","file_ids":["file-1"],"#
          + #""skills":[{"type":"skill_reference","skill_id":"skill_1","version":"2"},"#
          + #"{"type":"skill_reference","skill_id":"openai-spreadsheets"}]}}]}"#,
        ["file file-1 @tools", "skill skill_1 @tools"]
      ),
      (
        #"{"tools":[{"type":"shell","environment":{"skills":[{"skill_id":" skill_1"},"#
          + #"{"skill_id":"SKILL_1"},{"skill_id":"skill\u00a01"},{"skill_id":"openai-pdfs"}]}}]}"#,
        ["skill  skill_1 @tools", "skill SKILL_1 @tools", "skill skill\u{a0}1 @tools"]
      ),
      (
        #"{"tools":[{"type":"image_generation","input_image_mask":{"file_id":"file-1"}}]}"#,
        ["file file-1 @tools"]
      ),
      (
        #"{"tools":[{"type":"mcp","server_label":"file-server","connector_id":"connector_x","#
          + #""tunnel_id":"tunnel_1","allowed_tools":["part_1"]}]}"#,
        ["prompt tunnel_1 @tools"]
      ),
      (
        #"{"tools":[{"type":"mcp","connector_id":"connector_68a"},"#
          + #"{"type":"mcp","connector_id":"connector_gmail"}]}"#,
        ["prompt connector_68a @tools"]
      ),
      (
        #"{"input":[{"role":"user","content":[{"type":"input_image","image_url":"file-1"},"#
          + #"{"type":"input_file","file_url":"file-2"}]}],"#
          + #""messages":[{"content":[{"image_url":{"url":"file-3"}}]}]}"#,
        ["file file-1 @input", "file file-2 @input", "file file-3 @messages"]
      ),
      (
        #"{"input":[{"type":"additional_tools","tools":[{"type":"file_search","#
          + #""vector_store_ids":["vs_1"]}]},{"type":"tool_search_output","call_id":"c","#
          + #""tools":[{"type":"code_interpreter","container":"cntr_1"}]}]}"#,
        ["vector_store vs_1 @input", "container cntr_1 @input"]
      ),
      (
        #"{"prompt_cache_options":{"comparison_response_id":"resp_1"}}"#,
        ["response resp_1 @prompt_cache_options"]
      ),
      (
        #"{"type":"response.inject","response_id":"resp_1"}"#,
        ["response resp_1 @response_id"]
      ),
      (
        #"{"messages":[{"role":"user","content":[{"type":"file","file":{"file_id":"file-1"}}]},"#
          + #"{"role":"assistant","audio":{"id":"audio_1"}}],"audio":{"voice":{"id":"voice_1"}}}"#,
        ["file file-1 @messages", "completion audio_1 @messages", "prompt voice_1 @audio"]
      ),
      (#"{"input_file_id":"file-1"}"#, ["file file-1 @input_file_id"]),
      (
        #"{"file_ids":["file-1"],"files":[{"file_id":"file-2","attributes":{"a":"file-9"}}]}"#,
        ["file file-1 @file_ids", "file file-2 @files"]
      ),
      (
        #"{"part_ids":["part_1","part_2"]}"#,
        ["upload part_1 @part_ids", "upload part_2 @part_ids"]
      ),
      (
        #"{"images":[{"file_id":"file-1"}],"mask":{"file_id":"file-2"}}"#,
        ["file file-1 @images", "file file-2 @mask"]
      ),
      (
        #"{"input_reference":{"file_id":"file-1"},"video":{"id":"video_1"}}"#,
        ["file file-1 @input_reference", "video video_1 @video"]
      ),
      (
        #"{"training_file":"file-1","validation_file":"file-2","model":"ft:gpt-4o:acme::1"}"#,
        [
          "file file-1 @training_file", "file file-2 @validation_file",
          "fine_tuning_job ft:gpt-4o:acme::1 @model",
        ]
      ),
      (
        #"{"data_source":{"type":"jsonl","source":{"type":"file_id","id":"file-1"}}}"#,
        ["file file-1 @data_source"]
      ),
      (
        #"{"data_source":{"source":{"type":"stored_completions","model":"gpt-5"}}}"#,
        ["completion stored_completions @data_source"]
      ),
      (
        #"{"data_source":{"source":{"type":"Stored-completions","model":"gpt-5"}}}"#,
        ["completion stored_completions @data_source"]
      ),
      (
        #"{"data_source":{"source":{"type":" responses "}}}"#,
        ["completion responses @data_source"]
      ),
      (#"{"later":" file-1"}"#, ["file file-1 @later"]),
      (
        #"{"later":["\uFEFFresp_1\n", "\tresp_2", "  vs_1", "\"conv_1\""]}"#,
        [
          "response resp_1 @later", "response resp_2 @later", "vector_store vs_1 @later",
          "conversation conv_1 @later",
        ]
      ),
      (
        #"{"data_source_config":{"type":"logs","metadata":{"a":"file-1"}}}"#,
        ["completion logs @data_source_config"]
      ),
      (
        #"{"data_source_config":{"type":"Stored_Completions"}}"#,
        ["completion stored_completions @data_source_config"]
      ),
      (#"{"data_source_config":{"type":"custom","item_schema":{"type":"object"}}}"#, []),
      (
        #"{"input":[{"type":"mcp_approval_response","approval_request_id":"mcpr_1"}]}"#,
        ["item mcpr_1 @approval_request_id"]
      ),
      (
        #"{"later":"msg_1","x":["rs_1",{"y":"FC_1"}],"z":"chatcmpl-1"}"#,
        ["item msg_1 @later", "item rs_1 @x", "item FC_1 @x", "completion chatcmpl-1 @z"]
      ),
      (#"{"messages":[{"role":"assistant","id":"msg_1","content":[{"id":"rs_1"}]}]}"#, []),
      (#"{"messages":[{"role":"assistant","id":"file-1"}]}"#, ["file file-1 @messages"]),
    ])
  func members(body: String, expected: [String]) throws {
    #expect(try named(inBody: body) == expected)
  }

  @Test(
    "An item is a reference unless it brings the content that its type has",
    arguments: [
      (#"{"type":"item_reference","id":"msg_1"}"#, ["item msg_1 @input"]),
      (#"{"id":"msg_1"}"#, ["item msg_1 @input"]),
      (#"{"id":"msg_1","type":null}"#, ["item msg_1 @input"]),
      (#"{"id":"msg_1","other":1}"#, ["item msg_1 @input"]),
      (#"{"id":"msg_1","content":null,"role":"user"}"#, ["item msg_1 @input"]),
      (
        #"{"type":"item_reference","id":"msg_1","role":"user","content":"x"}"#,
        ["item msg_1 @input"]
      ),
      (#"{"type":"message","type":"item_reference","id":"msg_1"}"#, ["item msg_1 @input"]),
      (
        #"{"type":"item_reference","type":"message","id":"msg_1","id":"msg_2"}"#,
        ["item msg_1 @input", "item msg_2 @input"]
      ),
      (#"{"type":"Item_Reference","ID":"msg_1"}"#, ["item msg_1 @input"]),
      (#"{"type":"item_reference","id":["msg_1"]}"#, ["item msg_1 @input"]),
      (#"{"type":"message","id":"msg_1","status":"completed"}"#, ["item msg_1 @input"]),
      (#"{"type":"image_generation_call","id":"ig_1"}"#, ["item ig_1 @input"]),
      (
        #"{"type":"image_generation_call","id":"ig_1","size":"1x1","result":null}"#,
        ["item ig_1 @input"]
      ),
      (#"{"type":"image_generation_call","id":"ig_1","result":"aGk="}"#, []),
      (#"{"type":"message","role":"assistant","id":"msg_1","content":[]}"#, ["item msg_1 @input"]),
      (#"{"type":"message","role":"user","id":"msg_1","content":[{}]}"#, ["item msg_1 @input"]),
      (#"{"type":"message","role":"assistant","id":"msg_1","content":[{"a":1}]}"#, []),
      (#"{"type":"message","id":"msg_1","role":"user","content":0}"#, ["item msg_1 @input"]),
      (#"{"type":"message","id":"msg_1","role":"user","content":[0]}"#, ["item msg_1 @input"]),
      (#"{"id":"msg_1","role":"user","content":true}"#, ["item msg_1 @input"]),
      (#"{"type":"reasoning","id":"rs_1","encrypted_content":0}"#, ["item rs_1 @input"]),
      (#"{"type":"reasoning","id":"rs_1","encrypted_content":{"a":1}}"#, ["item rs_1 @input"]),
      (#"{"type":"reasoning","id":"rs_1","content":0}"#, ["item rs_1 @input"]),
      (#"{"type":"reasoning","id":"rs_1","content":"x"}"#, ["item rs_1 @input"]),
      (#"{"type":"image_generation_call","id":"ig_1","result":0}"#, ["item ig_1 @input"]),
      (#"{"type":"web_search_call","id":"ws_1","action":"x"}"#, ["item ws_1 @input"]),
      (#"{"type":"of_tomorrow","id":"x_1","matter":1}"#, ["item x_1 @input"]),
      (
        #"{"type":"message","id":"msg_1","content":"x","content":null}"#, ["item msg_1 @input"]
      ),
      (#"{"type":"message","id":"msg_1","role":"user","x":1}"#, ["item msg_1 @input"]),
      (#"{"type":"function_call","id":"fc_1","call_id":"c","x":1}"#, ["item fc_1 @input"]),
      (#"{"type":"function_call","id":"fc_1","name":"f","arguments":""}"#, []),
      (#"{"type":"code_interpreter_call","id":"ci_1","status":"x"}"#, ["item ci_1 @input"]),
      (#"{"type":"web_search_call","id":"ws_1","action":{"type":"search","query":"q"}}"#, []),
      (#"{"type":"compaction","id":"cmp_1","encrypted_content":"x"}"#, []),
      (#"{"type":"compaction","id":"cmp_1"}"#, ["item cmp_1 @input"]),
      (#"{"type":"of_tomorrow","id":"x_1","matter":"x"}"#, []),
      (#"{"type":"of_tomorrow","id":"x_1","status":"x","created_by":"y"}"#, ["item x_1 @input"]),
      (#"{"role":"assistant","id":"msg_1","content":"file-1"}"#, []),
      (#"{"type":"function_call","id":"fc_1","call_id":"call_1","name":"f","arguments":"{}"}"#, []),
      (#"{"type":"reasoning","id":"rs_1","summary":[]}"#, ["item rs_1 @input"]),
      (#"{"type":"reasoning","id":"rs_1","encrypted_content":null}"#, ["item rs_1 @input"]),
      (
        #"{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"x"}]}"#,
        ["item rs_1 @input"]
      ),
      (
        #"{"type":"reasoning","id":"rs_1","summary":[],"#
          + #""content":[{"type":"reasoning_text","text":"x"}]}"#, []
      ),
      (#"{"type":"reasoning","id":"rs_1","encrypted_content":"abc"}"#, []),
      (
        #"{"type":"file_search_call","id":"fs_1","queries":["q"],"#
          + #""results":[{"file_id":"file-1","text":"x"}]}"#, []
      ),
      (#"{"type":"other","id":"x","results":[{"file_id":"file-1"}]}"#, ["file file-1 @input"]),
      (#"{"type":"other","id":"file-1","value":"x"}"#, ["file file-1 @input"]),
    ])
  func items(item: String, expected: [String]) throws {
    #expect(try named(inBody: "{\"input\":[\(item)]}") == expected)
    #expect(
      try named(inBody: "{\"items\":[\(item)]}")
        == expected.map { $0.replacing("@input", with: "@items") })
  }

  @Test(
    "A string with a known form of id is found in a member that isn't known",
    arguments: [
      "file-1", "resp_1", "batch_1", "conv_1", "vs_1", "cntr_1", "skill_1", "pmpt_1", "ft:x",
    ])
  func forms(id: String) throws {
    let kind = try #require(ObjectKind(ofID: id)).rawValue
    #expect(
      try named(inBody: #"{"later":{"deep":[["x",{"y":"\#(id)"}]]}}"#) == ["\(kind) \(id) @later"])
  }

  @Test(
    "Other spellings, types and places of an id don't hide it",
    arguments: [
      (#"{"x":"\u0066ile-1"}"#, ["file file-1 @x"]),
      (#"{"\u0066ile_id":"odd"}"#, ["file odd @file_id"]),
      (#"{"x":"FILE-1"}"#, ["file FILE-1 @x"]),
      (#"{"File_Id":"odd"}"#, ["file odd @File_Id"]),
      (#"{"x":{"file_id\u0000y":"odd"}}"#, ["file odd @x"]),
      (#"{"x":"file-1\u0000"}"#, ["file file-1\u{0} @x"]),
      (#"{"file_id":"a","file_id":"b"}"#, ["file a @file_id", "file b @file_id"]),
      (
        #"{"file_id":[["a"],{"x":"b","y":["c"]}]}"#,
        ["file a @file_id", "file b @file_id", "file c @file_id"]
      ),
      (
        #"{"file_ids":{"file-1":true,"b":"file-2"}}"#,
        ["file file-1 @file_ids", "file file-2 @file_ids"]
      ),
      (#"{"file_id":7,"conversation":null,"container":true,"previous_response_id":""}"#, []),
      (#"{"conversation":["a"]}"#, ["conversation a @conversation"]),
      (#"["file-1"]"#, ["file file-1"]),
      (#"{"content":{"file_id":"odd"}}"#, ["file odd @content"]),
      (#"{"instructions":[{"type":"item_reference","id":"msg_1"}]}"#, ["item msg_1 @instructions"]),
      (#"{"input":[[{"id":"msg_1"}]]}"#, ["item msg_1 @input"]),
    ])
  func disguises(body: String, expected: [String]) throws {
    #expect(try named(inBody: body) == expected)
  }

  @Test(
    "Texts name nothing, whatever they say",
    arguments: [
      #"{"input":"file-1","instructions":"resp_1","user":"batch_1","prompt":"conv_1"}"#,
      #"{"input":["file-1","vs_1"],"stop":["ft:","part_1"],"metadata":{"file_id":"file-1"}}"#,
      #"{"messages":[{"role":"user","content":"file-1"},{"role":"tool","tool_call_id":"batch_1"},"#
        + #"{"role":"assistant","tool_calls":[{"id":"video_1","function":{"name":"part_1"}}]}]}"#,
      #"{"tools":[{"type":"function","name":"batch_x","description":"file-1","#
        + #""parameters":{"properties":{"file_id":{"type":"string","enum":["file-1"]}}}}]}"#,
      #"{"response_format":{"type":"json_schema","json_schema":{"name":"part_1","#
        + #""schema":{"required":["video_url","file_id"]}}}}"#,
      #"{"input":[{"role":"assistant","content":[{"type":"output_text","text":"file-1","#
        + #""annotations":[{"type":"file_citation","file_id":"file-1"}]}]}]}"#,
      #"{"tools":[{"type":"web_search","filters":{"allowed_domains":["file-host.com"]}},"#
        + #"{"type":"mcp","headers":{"x":"file-1"},"authorization":"resp_1"}]}"#,
      #"{"model":"gpt-5","documents":[{"id":"doc_1","source":{"type":"text","text":"file-1"}}]}"#,
    ])
  func texts(body: String) throws {
    #expect(try named(inBody: body) == [])
  }

  @Test("An object is found behind many messages that name none")
  func manyMessages() throws {
    let message = #"{"role":"assistant","tool_calls":[{"id":"call_1","function":{"name":"f"}}]}"#
    let messages = Array(repeating: message, count: 50).joined(separator: ",")
    #expect(try named(inBody: "{\"messages\":[\(messages)]}") == [])
    #expect(
      try named(inBody: "{\"messages\":[\(messages),{\"audio\":{\"id\":\"audio_1\"}}]}")
        == ["completion audio_1 @messages"])
  }

  @Test("As many objects as the limit are found, and one more is refused")
  func limit() throws {
    let parser = JSONParser()
    func body(_ count: Int) -> [UInt8] {
      Array("{\"file_ids\":[\((0..<count).map { "\"\($0)\"" }.joined(separator: ","))]}".utf8)
    }
    let limit = TooManyReferences.limit
    #expect(try ObjectReferences.inBody(parser.parse(body(limit))).count == limit)
    let tooMany = try parser.parse(body(limit + 1))
    #expect(throws: TooManyReferences()) { try ObjectReferences.inBody(tooMany) }
  }
}
