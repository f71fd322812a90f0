/* The parts of the task schema that do not follow from the vocabulary, as JSON with ' for " (see
 * task_schema.c). */
#include "gen/task_schema_text.h"

/* A name that task_name_ok() takes. */
#define NAME "^[A-Za-z0-9_.][A-Za-z0-9_.-]{0,63}$"

const struct task_schema_definition task_schema_definitions[] = {
    {"name",
     "{'type':'string','pattern':'" NAME "'}"},
    {"ms",
     "{'type':'integer','minimum':0,'maximum':604800000}"},
    {"sha256",
     "{'type':'string','pattern':'^[0-9a-f]{64}$'}"},
    {"pointer",
     "{'type':'string','pattern':'^(/.*)?$'}"},
    {"wrap-bytes",
     "{'description':'bytes that are not UTF-8','type':'object','properties':{'$bytes':{'type':'string',"
     "'contentEncoding':'base64',"
     "'pattern':'^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$'}},'required':['$bytes'],"
     "'additionalProperties':false}"},
    {"wrap-raw",
     "{'description':'JSON text that no parser may touch','type':'object',"
     "'properties':{'$raw':{'anyOf':[{'type':'string','minLength':1},{'$ref':'#/$defs/wrap-bytes'}]}},"
     "'required':['$raw'],'additionalProperties':false}"},
    {"wrap-content",
     "{'description':'the content of that name','type':'object',"
     "'properties':{'$content':{'$ref':'#/$defs/name'}},'required':['$content'],"
     "'additionalProperties':false}"},
    {"wrap-from",
     "{'description':'a value from the result of an earlier step','type':'object',"
     "'properties':{'$from':{'$ref':'#/$defs/name'},'at':{'type':'string','pattern':'^/'},'else':{}},"
     "'required':['$from','at'],'additionalProperties':false}"},
    {"wrap-literal",
     "{'description':'an argument that has such a key','type':'object','properties':{'$literal':true},"
     "'required':['$literal'],'additionalProperties':false}"},
    {"stand-in",
     "{'anyOf':[{'$ref':'#/$defs/wrap-raw'},{'$ref':'#/$defs/wrap-from'}]}"},
    {"string",
     "{'anyOf':[{'type':'string'},{'$ref':'#/$defs/wrap-bytes'}]}"},
    {"path",
     "{'anyOf':[{'$ref':'#/$defs/string'},{'$ref':'#/$defs/wrap-path'}]}"},
    {"bytes",
     "{'anyOf':[{'$ref':'#/$defs/string'},{'$ref':'#/$defs/wrap-content'}]}"},
    {"texts",
     "{'type':'array','items':{'anyOf':[{'$ref':'#/$defs/path'},{'$ref':'#/$defs/stand-in'}]}}"},
    {"map",
     "{'type':'object','propertyNames':{'not':{'enum':['$bytes','$raw','$content','$from','$path',"
     "'$literal','$recipe']}},'additionalProperties':{'anyOf':[{'$ref':'#/$defs/path'},"
     "{'$ref':'#/$defs/stand-in'}]}}"},
    {"value",
     "{'anyOf':[{'type':['null','boolean','number','string']},{'type':'array',"
     "'items':{'$ref':'#/$defs/value'}},{'type':'object','propertyNames':{'not':{'enum':['$bytes','$raw',"
     "'$content','$from','$path','$literal','$recipe']}},"
     "'additionalProperties':{'$ref':'#/$defs/value'}},{'$ref':'#/$defs/wrap-bytes'},"
     "{'$ref':'#/$defs/wrap-raw'},{'$ref':'#/$defs/wrap-content'},{'$ref':'#/$defs/wrap-from'},"
     "{'$ref':'#/$defs/wrap-path'},{'$ref':'#/$defs/wrap-literal'}]}"},
    {"content",
     "{'anyOf':[{'$ref':'#/$defs/string'},{'$ref':'#/$defs/recipe'}]}"},
    {"expectation",
     "{'type':'object','oneOf':[{'$ref':'#/$defs/of-step'},{'$ref':'#/$defs/of-result'},"
     "{'$ref':'#/$defs/of-site'},{'$ref':'#/$defs/of-file'},{'$ref':'#/$defs/of-json'}]}"},
    {"of-step",
     "{'properties':{'step':{'$ref':'#/$defs/name'},'exit':{'type':'integer'},'outcome':{'enum':['ok',"
     "'error']}},'required':['step'],'minProperties':2,'maxProperties':2,'additionalProperties':false}"},
    {"of-result",
     "{'properties':{'step':{'$ref':'#/$defs/name'},'at':{'type':'string','pattern':'^/'},"
     "'equals':{'$ref':'#/$defs/value'},'contains':{'$ref':'#/$defs/bytes'},"
     "'sha256':{'$ref':'#/$defs/sha256'},'size':{'type':'integer','minimum':0}},'required':['step','at'],"
     "'minProperties':3,'maxProperties':3,'additionalProperties':false}"},
    {"of-site",
     "{'properties':{'step':{'$ref':'#/$defs/name'},'site':{'type':'string','pattern':'^/'},"
     "'at':{'type':'string','pattern':'^/(visits|method|status|length|sent|end|body_size|body_sha256|"
     "(fields|query|headers|cookies)/[^/]*|files/[^/]*/(filename|type|size|sha256))$'},"
     "'equals':{'$ref':'#/$defs/value'},'contains':{'$ref':'#/$defs/bytes'},"
     "'sha256':{'$ref':'#/$defs/sha256'},'size':{'type':'integer','minimum':0}},'required':['step','site','at'],"
     "'minProperties':4,'maxProperties':4,'additionalProperties':false}"},
    {"of-file",
     "{'properties':{'file':{'$ref':'#/$defs/path'},'exists':{'type':'boolean'},"
     "'equals':{'$ref':'#/$defs/bytes'},'contains':{'$ref':'#/$defs/bytes'},"
     "'sha256':{'$ref':'#/$defs/sha256'},'size':{'type':'integer','minimum':0},'lines':{'type':'integer',"
     "'minimum':0}},'required':['file'],'minProperties':2,'maxProperties':2,'additionalProperties':false}"},
    {"of-json",
     "{'properties':{'file':{'$ref':'#/$defs/path'},'json':{'$ref':'#/$defs/pointer'},"
     "'equals':{'$ref':'#/$defs/value'}},'required':['file','json','equals'],"
     "'additionalProperties':false}"},
    {"mutation",
     "{'type':'object','properties':{'mutator':{'$ref':'#/$defs/name'},'step':{'type':'string'},"
     "'at':{'type':'string'},'detail':{'type':'string'},'before':{'description':'what was there before,"
     " so that it can be undone'}},'required':['mutator','step','at','detail','before'],"
     "'additionalProperties':false}"},
    {NULL, NULL},
};

/* The record itself; $defs is put in. */
const char task_schema_record[] =
    "{'$schema':'https://json-schema.org/draft/2020-12/schema','$id':'urn:taskgen:task:1',"
    "'title':'taskgen/task/1',"
    "'description':'One task; a file holds one a line. Made from the op vocabulary (ops.xml).',"
    "'type':'object','properties':{'format':{'const':'taskgen/task/1'},'id':{'type':'string',"
    "'pattern':'^[0-9a-f]{32}$'},'domain':{'$ref':'#/$defs/name'},'workflow':{'$ref':'#/$defs/name'},"
    "'seed':{'type':'integer','minimum':0,'maximum':18446744073709551615},'index':{'type':'integer',"
    "'minimum':0,'maximum':18446744073709551615},'derivation':{'type':'object',"
    "'properties':{'grammar':{'type':'string','pattern':'^[0-9a-f]{16}$'},'choices':{'type':'string'}},"
    "'required':['grammar','choices'],'additionalProperties':false},"
    "'instruction':{'description':'what an agent is told','type':'string','pattern':'^[^\\u0000]*$'},"
    "'needs':{'type':'array','items':{'type':'string'},'uniqueItems':true},'steps':{'type':'array',"
    "'maxItems':4096,'items':{'$ref':'#/$defs/step'}},'expect':{'type':'array',"
    "'items':{'$ref':'#/$defs/expectation'}},'mutations':{'type':'array',"
    "'items':{'$ref':'#/$defs/mutation'}},'contents':{'type':'object',"
    "'propertyNames':{'$ref':'#/$defs/name'},'additionalProperties':{'$ref':'#/$defs/content'}},"
    "'limits':{'type':'object','properties':{'timeout_ms':{'type':'integer','minimum':0},"
    "'bytes':{'type':'integer','minimum':0},'processes':{'type':'integer','minimum':0},"
    "'tabs':{'type':'integer','minimum':0}},'additionalProperties':false}},'required':['format',"
    "'instruction','steps'],'additionalProperties':false}";

/* A step; the names of ops and what each op asks of "args" are put in. */
const char task_schema_step[] =
    "{'type':'object','properties':{'id':{'$ref':'#/$defs/name'},'op':{},'args':{'type':'object'},"
    "'session':{'$ref':'#/$defs/name'},'group':{'$ref':'#/$defs/name'},'after_ms':{'$ref':'#/$defs/ms'},"
    "'cancel_after_ms':{'$ref':'#/$defs/ms'},'timeout_ms':{'$ref':'#/$defs/ms'},"
    "'repeat':{'type':'integer','minimum':1,'maximum':1000000}},'required':['id','op'],"
    "'additionalProperties':false}";

/* A program is given in one of two ways. */
const char task_schema_program[] =
    "[{'required':['argv'],'not':{'anyOf':[{'required':['language']},{'required':['script']}]}},"
    "{'required':['language','script'],'not':{'required':['argv']}}]";
