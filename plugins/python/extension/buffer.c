/* buffer.c: owns ghz._buffer.Buffer, the base of ghz.Stream: lends the bytes of another object. */
/* SPDX-License-Identifier: BSD-3-Clause */
#define Py_LIMITED_API 0x030b0000 /* 3.11, the first with buffers */
#define PY_SSIZE_T_CLEAN
#include <Python.h>

typedef struct buffer {
  PyObject head;
  Py_buffer held;
} buffer;

static PyObject *buffer_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
  (void)keywords; /* for the __init__ of classes that are made of this one, as further arguments are */
  PyObject *owner = PyTuple_Size(arguments) > 0 ? PyTuple_GetItem(arguments, 0) : NULL;
  if (!owner) {
    PyErr_SetString(PyExc_TypeError, "Buffer: an object with bytes is missing");
    return NULL;
  }
  const allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  buffer *self = (buffer *)allocate(type, 0);
  if (self && PyObject_GetBuffer(owner, &self->held, PyBUF_SIMPLE) < 0) {
    self->held.obj = NULL;
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

static void buffer_dealloc(PyObject *object) {
  buffer *self = (buffer *)object;
  PyTypeObject *type = Py_TYPE(object);
  const freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  if (self->held.obj)
    PyBuffer_Release(&self->held);
  release(object);
  Py_DECREF(type);
}

/* NumPy asks any object for a memoryview before it asks for __array__, and would take compressed
 * bytes for values. Only memoryview (and what is made by it) asks for PyBUF_INDIRECT. */
static int buffer_get(PyObject *object, Py_buffer *view, int flags) {
  buffer *self = (buffer *)object;
  if ((flags & PyBUF_INDIRECT) == PyBUF_INDIRECT) {
    PyErr_SetString(PyExc_BufferError, "a memoryview of the compressed bytes is stream.data; "
                                       "numpy.asarray(stream) has the values");
    view->obj = NULL;
    return -1;
  }
  return PyBuffer_FillInfo(view, object, self->held.buf, self->held.len, 1, flags);
}

static PyType_Slot slots[] = {
    {Py_tp_new, (void *)buffer_new},
    {Py_tp_dealloc, (void *)buffer_dealloc},
    {Py_bf_getbuffer, (void *)buffer_get},
    {Py_tp_doc, (void *)"Lends the bytes of another object, which cannot be changed."},
    {0, NULL}};
static PyType_Spec spec = {"ghz._buffer.Buffer", sizeof(buffer), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           slots};

static int module_exec(PyObject *module) {
  PyObject *type = PyType_FromSpec(&spec);
  const int status = type ? PyModule_AddObjectRef(module, "Buffer", type) : -1;
  Py_XDECREF(type);
  return status;
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void *)module_exec}, {0, NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "ghz._buffer", NULL, 0,   NULL,
                             module_slots,          NULL,          NULL, NULL};

PyMODINIT_FUNC PyInit__buffer(void);
PyMODINIT_FUNC PyInit__buffer(void) {
  return PyModuleDef_Init(&module);
}
